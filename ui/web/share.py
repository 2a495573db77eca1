"""A conversation as a page that anybody with the link can read, and nobody can change."""

from collections.abc import Sequence
from html import escape

from assistant.answer import Answer
from ui.assets import asset, script
from ui.web import frame, turn
from ui.words.labels import label

LONGEST_SUMMARY = 200


def shared_page(turns: Sequence[Answer]) -> str:
    """The whole page; its summary is what a chat shows beside the link."""
    title = " ".join(turns[0].question.split())[:90]
    summary = " ".join(turns[-1].answer.replace("*", "").split())[:LONGEST_SUMMARY]
    body = "".join(turn.answered(answer, read_only=True) for answer in turns)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">'
        f"<title>{escape(title)} · GPU Advisor</title>"
        f'<meta name="description" content="{escape(summary)}"><meta property="og:title" content="{escape(title)}">'
        f'<meta property="og:description" content="{escape(summary)}">'
        f"<style>{asset('page.css')}{asset('share.css')}</style><script>{script()}</script></head>"
        f'<body class="gradio-container shared"><div id="top">{frame.shared_header()}</div>'
        f'<main id="view-ask"><p class="quiet">{label("shared_note")}</p><div id="past">{body}</div></main>'
        "</body></html>"
    )

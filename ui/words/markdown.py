"""An Answer as one Markdown text: what a terminal, an export or a plain chat client shows."""

from collections.abc import Sequence

from assistant.answer import Answer, Citation

WORDS = {
    "zh": {"ask": "还想确认", "assumed": "假设", "warned": "注意", "sources": "来源"},
    "en": {"ask": "To be sure, tell me", "assumed": "Assumed", "warned": "Mind", "sources": "Sources"},
}


def as_markdown(answer: Answer) -> str:
    """The answer's own text, then whatever it does not say itself: questions, warnings, sources."""
    words = WORDS["zh" if answer.language == "zh" else "en"]
    blocks = [answer.answer.strip()]
    for title, lines in ((words["ask"], answer.clarifying_questions), (words["warned"], answer.warnings)):
        fresh = [line for line in lines if line not in answer.answer]
        if fresh:
            blocks.append(f"**{title}**\n" + "\n".join(f"- {line}" for line in fresh))
    unlisted = [item for item in answer.citations if f"\n[{item.marker}] " not in f"\n{answer.answer}"]
    if unlisted:
        blocks.append(f"**{words['sources']}**\n" + "\n".join(source_line(item) for item in unlisted))
    return "\n\n".join(blocks)


def source_line(item: Citation) -> str:
    """One source: marker, title, place, date."""
    title = f"[{item.title}]({item.url})" if item.url else item.title
    date = f" ({item.date})" if item.date else ""
    return f"- [{item.marker}] {title} — {item.locator}{date}"


def transcript(turns: Sequence[Answer]) -> str:
    """A whole conversation: each question as a heading, each answer below it."""
    return "\n\n".join(f"## {' '.join(turn.question.split())[:300]}\n\n{as_markdown(turn)}" for turn in turns) + "\n"

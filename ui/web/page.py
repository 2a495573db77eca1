"""The page: header, conversation, question box; a client of the same advisor as every other face."""

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gradio as gr
from fastapi import FastAPI

from assistant.agent import Advisor, Step
from kb.base import AdvisorError, BadInput
from ui.assets import FOLDER, asset, script
from ui.serving.turn import steps
from ui.web import forms, frame, turn
from ui.web.routes import router
from ui.web.theme import theme

LONGEST_INPUT = 20_000
WAITING_AT_MOST = 64
AT_ONCE = 8
SHOWN_TURNS = 30
WITH_CONVERSATION = "(question) => [question, gpuAdvisor.conversation(true), gpuAdvisor.takeChanges(question)]"
OPEN_CONVERSATION = "(conversation) => [gpuAdvisor.conversation(false)]"
Shown = tuple[Any, str, Any, Any]
logger = logging.getLogger(__name__)


def mount(site: FastAPI, advisor: Advisor) -> None:
    """Put the page at the root of `site`, and what its scripts ask for beside it."""
    site.include_router(router(advisor))
    gr.mount_gradio_app(
        site,
        page(advisor),
        path="/",
        footer_links=[],
        run_history=False,
        show_error=False,
        allowed_paths=[],
        max_file_size="1mb",
        ssr_mode=False,
        enable_monitoring=False,
        mcp_server=False,
        pwa=False,
        favicon_path=str(Path(FOLDER) / "favicon.svg"),
        theme=theme(),
        # In the head as it is: given as `css`, Gradio rewrites the selectors, and not all of them survive that.
        head=f"<style>{asset('page.css')}</style><script>{script()}</script>",
    )


def page(advisor: Advisor) -> gr.Blocks:
    """The page over one advisor."""
    blocks = gr.Blocks(title="GPU Advisor", analytics_enabled=False, delete_cache=(3600, 3600), fill_width=True)
    with blocks:
        gr.HTML(inert(frame.header()), elem_id="top", js_on_load=None, apply_default_css=False)
        conversation = gr.Textbox(visible="hidden", elem_id="conversation", container=False)
        changes = gr.Textbox(visible="hidden", elem_id="changes", container=False)
        with gr.Column(elem_id="view-ask"):
            gr.HTML(frame.welcome(), elem_id="welcome", js_on_load=None, apply_default_css=False)
            past = gr.HTML("", elem_id="past", js_on_load=None, apply_default_css=False)
            live = gr.HTML("", elem_id="live", js_on_load=None, apply_default_css=False)
        with gr.Row(elem_id="composer"):
            question = gr.Textbox(
                show_label=False, container=False, lines=1, max_lines=8, max_length=LONGEST_INPUT, scale=1,
                elem_id="question", autofocus=True, placeholder="…",
            )  # fmt: skip
            send = gr.Button("Send", variant="primary", elem_id="send", scale=0, min_width=80)
        gr.HTML(frame.cards_view(), elem_id="view-cards", js_on_load=None, apply_default_css=False)
        gr.HTML(frame.documents_view(), elem_id="view-documents", js_on_load=None, apply_default_css=False)
        gr.HTML(inert(forms.forms_view()), elem_id="view-forms", js_on_load=None, apply_default_css=False)

        def answer(asked: str, conversation_id: str, changes: str) -> Iterator[Shown]:
            yield from answering(advisor, asked, conversation_id, changes)

        def reopen(conversation_id: str) -> str:
            return opened(advisor, conversation_id)

        gr.on(
            [question.submit, send.click],
            answer,
            inputs=[question, conversation, changes],
            outputs=[past, live, question, send],
            js=WITH_CONVERSATION,
            show_progress="hidden",
            api_visibility="private",
            concurrency_limit=AT_ONCE,
        )
        blocks.load(
            reopen, inputs=[conversation], outputs=[past], js=OPEN_CONVERSATION,
            show_progress="hidden", api_visibility="private",
        )  # fmt: skip
    blocks.queue(max_size=WAITING_AT_MOST, default_concurrency_limit=AT_ONCE, api_open=False)
    return blocks


def answering(advisor: Advisor, asked: str, conversation_id: str, changes: str = "") -> Iterator[Shown]:
    """What the page shows while a question is answered: former turns, this turn, the emptied box, the button.

    The finished turn stays in its place until the next question, so that nothing moves under the reader.
    """
    if not asked.strip():
        yield gr.skip(), "", gr.skip(), gr.skip()
        return
    so_far: list[Step] = []
    yield opened(advisor, conversation_id), inert(turn.pending(asked, so_far)), "", gr.update(interactive=False)
    try:
        for step in steps(advisor, asked, conversation_id or None, face="web", changes=corrections(changes)):
            so_far.append(step)
            shown = turn.answered(step.answer) if step.answer else turn.pending(asked, so_far)
            yield gr.skip(), inert(shown), gr.skip(), gr.update(interactive=step.answer is not None)
    except AdvisorError as error:
        yield gr.skip(), inert(turn.refused(asked, error)), gr.skip(), gr.update(interactive=True)
    except Exception:  # the page's own border: without a word it would go on saying that it works
        logger.exception("a turn could not be shown")
        yield gr.skip(), inert(turn.broken(asked)), gr.skip(), gr.update(interactive=True)


def corrections(changes: str) -> dict[str, Any] | None:
    """The fields a chip's editor changed, as the page sends them; none for a question in words.

    Raises:
        BadInput: what came is no object of JSON.
    """
    if not changes:
        return None
    try:
        found = json.loads(changes)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise BadInput("changes", "is not a JSON object.")
    return found


def opened(advisor: Advisor, conversation_id: str) -> str:
    """The turns of a conversation so far; nothing for an id that is new or none."""
    if not conversation_id:
        return ""
    try:
        return inert(turn.turns(advisor.conversations.history(conversation_id, last=SHOWN_TURNS)))
    except AdvisorError:
        return ""


def inert(html: str) -> str:
    """HTML that holds no template expression: what a person or a document wrote must not be evaluated in the page."""
    return html.replace("{", "&#123;").replace("`", "&#96;")

"""`/gpu`: a question, or a tool with `key=value` pairs; answered to the asker alone, who may share it."""

import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from slack_sdk.webhook import WebhookClient

from assistant.understand.language import language_of
from kb.base import AdvisorError, BadInput
from tools.base import ToolResult
from tools.registry import Tool, tool, tools
from ui.slack import message, rich
from ui.slack.credentials import quiet_logger
from ui.slack.fitting import cut, escaped
from ui.slack.inbox import Job
from ui.slack.rich import Block
from ui.slack.turns import Turns, refused
from ui.slack.words import Words, words
from ui.words.quantities import plain, quantity

logger = quiet_logger(__name__)
HOOKS = frozenset({"hooks.slack.com", "hooks.slack-gov.com"})
MOST_STEPS = 30
USAGE = frozenset({"", "help", "帮助", "?", "？"})


@dataclass(frozen=True, slots=True)
class Command:
    """The command and the buttons below its answers."""

    turns: Turns
    hooks: frozenset[str] = HOOKS
    """Hosts that may be answered to besides Slack's own, e.g. that of the Web API in use."""

    def run(self, job: Job) -> None:
        """Whatever was typed after the command."""
        text, name = job.data["text"], job.data["command"]
        wording = words(language_of(text) if text else "en")
        try:
            if text.casefold() in USAGE:
                self._say(job, [usage(name, wording)])
            elif text.split()[0].casefold() in ("tool", "工具"):
                self._say(job, tool_blocks(text, wording))
            else:
                self.answer(job, job.data["conversation"], text)
        except AdvisorError as error:
            self._say(job, [rich.paragraph(refused(error, wording))])

    def answer(self, job: Job, conversation: str, question: str) -> None:
        """An answer that only the asker sees."""
        answer = next(step.answer for step in self.turns.turn(job, question, conversation) if step.answer is not None)
        chart, page = self.turns.chart(answer), self.turns.page(answer)
        rendered = [
            message.messages(answer, asked=question, chart=chart, page=page, modern=modern, private=True)
            for modern in (True, False)
        ]
        for number, blocks in enumerate(rendered[0]):
            if number >= int(job.noted.get("sent", 0)):
                plainer = rendered[1][number] if number < len(rendered[1]) else blocks
                self._say(job, blocks, message.headline(answer), plainer)
                self.turns.inbox.note(job.key, sent=number + 1)

    def share(self, job: Job) -> None:
        """Show the channel what only the asker saw."""
        answer = self.turns.found(job.data)
        if answer is None:
            self._say(job, [rich.paragraph(words(str(job.data["value"].get("l")))("gone"))])
            return
        wording = words(answer.language)
        by = message.context(wording("shared_by", user=f"<@{job.data['user']}>") if _is_id(job.data["user"]) else "")
        chart, page = self.turns.chart(answer), self.turns.page(answer)
        for blocks in message.messages(answer, asked=answer.question, chart=chart, page=page):
            self._say(job, [by, *blocks], message.headline(answer), public=True)

    def thank(self, job: Job, text: str) -> None:
        """A word to the asker alone."""
        self._say(job, [rich.paragraph(text)])

    def _say(
        self, job: Job, blocks: Sequence[Block], text: str = "", plainer: Sequence[Block] = (), public: bool = False
    ) -> None:
        """Answer to the address that came with the command; tried once more with plainer blocks."""
        url = str(job.data.get("response_url") or "")
        if urlsplit(url).hostname not in self.hooks:
            raise BadInput("response_url", "is not an address of Slack's.")
        hook = WebhookClient(url)
        for form in (blocks, plainer):
            if not form:
                continue
            sent = hook.send_dict({
                "text": text or escaped(cut(rich.readable(form[0]), 300) if "elements" in form[0] else ""),
                "blocks": list(form), "response_type": "in_channel" if public else "ephemeral",
                "replace_original": False, "unfurl_links": False, "unfurl_media": False,
            })  # fmt: skip
            if sent.status_code == 200:
                return
            logger.info("Slack answered %d to a private reply", sent.status_code)


def usage(name: str, wording: Words) -> Block:
    """How the command is used, in three lines."""
    title = rich.section([rich.run(wording("usage_title", command=name), {"bold": True})])
    lines = [part.format(command=name) for part in (wording(f"usage_{n}") for n in (1, 2, 3))]
    return {"type": "rich_text", "elements": [title, *rich.bullets(lines)["elements"]]}


def tool_blocks(text: str, wording: Words) -> list[Block]:
    """`tool`: the list; `tool NAME key=value …`: what the tool says.

    Raises:
        AdvisorError: no such tool, or what the tool itself refuses.
    """
    parts = split(text)[1:]
    if not parts:
        lines = [f"{each.name}: {each.description.splitlines()[0]}" for each in tools().values()]
        return [rich.paragraph(wording("tools_title"), bold=True), rich.bullets(lines)]
    chosen = tool(parts[0])
    return result_blocks(chosen, chosen.call(arguments(chosen, parts[1:])), wording)


def split(text: str) -> list[str]:
    """Words as a shell reads them, so that a value may be quoted; curly quotes of a phone count as straight.

    Raises:
        BadInput: a quote is not closed.
    """
    straight = text.translate(str.maketrans("“”‘’", "\"\"''"))
    try:
        return shlex.split(straight)
    except ValueError:
        raise BadInput("text", "holds a quote that is not closed.", "Close it, or leave it out.") from None


def arguments(chosen: Tool, pairs: Sequence[str]) -> dict[str, Any]:
    """`key=value` pairs as a request: JSON where it is an object or a list, else text, which the request types.

    Raises:
        BadInput: a word without `=`, or JSON that is none; names the field.
    """
    given: dict[str, Any] = {}
    for pair in pairs:
        name, mark, value = pair.partition("=")
        if not mark or not name:
            raise BadInput(cut(pair, 40), "is no pair.", "Write key=value, e.g. model=llama-3.1-8b.")
        given[name] = _value(chosen, name, value)
    return given


def _value(chosen: Tool, name: str, value: str) -> Any:
    field = chosen.request.model_fields.get(name)
    many = field is not None and any(word in str(field.annotation) for word in ("tuple[", "list["))
    if value[:1] in ("[", "{"):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            raise BadInput(name, "is not valid JSON.", f"Quote the whole pair: '{name}=[…]'.") from None
    return [part.strip() for part in value.split(",")] if many else value


def result_blocks(chosen: Tool, result: ToolResult, wording: Words) -> list[Block]:
    """A tool's result: its plain fields, its steps as a table, what was assumed, what to mind."""
    data = result.model_dump(mode="json")
    said = [f"{name}: {_shown(name, value)}" for name, value in data.items() if _is_plain(name, value)]
    parts: list[Block] = [rich.paragraph(f"{chosen.name}: {wording('tool_result')}", bold=True)]
    parts += [rich.bullets(said[:40])] if said else []
    steps = data["derivation"]
    if steps:
        shown = steps[-MOST_STEPS:]
        head = [[rich.run(wording(name), {"bold": True})] for name in ("step_column", "formula_column", "value_column")]
        rows = [[[rich.run(cut(str(cell), 300), {})] for cell in _cells(step)] for step in shown]
        parts.append(rich.table([head, *rows], [False, False, True]))
        if len(steps) > len(shown):
            parts.append(message.context(wording("more_rows", count=len(steps) - len(shown))))
    for title, lines in (("assumed_title", data["assumptions"]), ("warnings_title", data["warnings"])):
        if lines:
            parts += [rich.paragraph(wording(title), bold=True), rich.bullets([cut(line, 600) for line in lines[:10]])]
    return message.packed(parts, [], wording)[0]


def _cells(step: dict[str, Any]) -> tuple[str, str, str]:
    return step["label"], step["formula"], quantity(step.get("value"), step.get("unit") or "")


def _is_plain(name: str, value: Any) -> bool:
    return name not in ("derivation", "assumptions", "warnings", "sources") and (
        isinstance(value, str | int | float) or (isinstance(value, dict) and {"value", "low", "high"} <= set(value))
        or (name in ("per_gpu", "fit") and isinstance(value, dict))
    )  # fmt: skip


def _shown(name: str, value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(
            f"{key} {_shown(key, part)}" for key, part in value.items() if isinstance(part, str | int | float)
        )
    unit = next((unit for unit in ("bytes_per_s", "bytes", "_s") if name.endswith(unit)), "")
    if isinstance(value, bool) or not isinstance(value, int | float):
        return cut(str(value), 300)
    return quantity(value, unit.strip("_")) if unit else plain(value)


def _is_id(user: str) -> bool:
    return user.isalnum() and user.isascii()

"""An answer as Slack messages: the words, the table, configurations as cards, the chart, sources and buttons."""

import json
from collections.abc import Sequence
from typing import Any

from assistant.answer import PLANNER, Answer, Citation
from assistant.compose.orders import spoken_of
from ui.slack import rich
from ui.slack.cards import carousel, listed
from ui.slack.fitting import LONGEST_SECTION, cut, escaped, joined
from ui.slack.rich import Block
from ui.slack.words import Words, words
from ui.words.follow_ups import follow_ups

MOST_BLOCKS = 45
"""Slack takes 50 in a message."""
MOST_CHARACTERS = 12_000
"""Slack refuses a message whose blocks are longer than some 13,000 as JSON (slackapi/bolt-js issue 2509)."""
LONGEST_HEADLINE = 300


def messages(
    answer: Answer, *, asked: str = "", chart: Block | None = None, page: str | None = None,
    modern: bool = True, private: bool = False,
) -> list[list[Block]]:  # fmt: skip
    """The blocks of each message the answer takes; nearly always one.

    Args:
        asked: the question, where it is not already there to be read above the answer.
        chart: an image block that is ready to be shown.
        page: where the conversation can be read in a browser.
        modern: false leaves out the kinds of blocks that an older workspace refuses, not what they say.
        private: only the asker sees it, and may share it.
    """
    wording = words(answer.language)
    parts = [rich.quoted(cut(asked, LONGEST_SECTION))] if asked else []
    parts += rich.blocks(answer.answer, tables=modern)
    parts += _unsaid(answer, wording)
    if told := spoken_of(answer):
        parts += [carousel(told, wording)] if modern else listed(told, wording)
    if chart is not None and modern:
        parts.append(chart)
    parts += sources(answer.citations, wording)
    return packed(parts, _foot(answer, wording, page, modern=modern, private=private), wording)


def headline(answer: Answer) -> str:
    """The first line of the answer as plain text: what a notification and a screen reader say."""
    first = rich.readable(next(iter(rich.blocks(answer.answer)), rich.paragraph("")))
    return escaped(cut(first.split("\n")[0], LONGEST_HEADLINE))


def preview(answer: Answer) -> list[Block]:
    """What a link to the answer unfolds to: verdict, table, sources, no buttons."""
    wording = words(answer.language)
    parts = [rich.quoted(cut(answer.question, 500)), *rich.blocks(answer.answer, tables=False)[:6]]
    return packed([*parts, *sources(answer.citations, wording)], [], wording)[0]


def packed(parts: Sequence[Block], foot: Sequence[Block], wording: Words) -> list[list[Block]]:
    """Blocks in as few messages as Slack allows, none of them torn; the foot goes below the last."""
    found: list[list[Block]] = [[]]
    size = 0
    for part in parts:
        own = len(json.dumps(part, ensure_ascii=False))
        if found[-1] and (len(found[-1]) >= MOST_BLOCKS - len(foot) or size + own > MOST_CHARACTERS):
            found.append([context(f"… {wording('part_of')}")])
            size = 0
        found[-1].append(part)
        size += own
    found[-1] += foot
    return found


def sources(citations: Sequence[Citation], wording: Words) -> list[Block]:
    """The numbered sources in small type. Only addresses of our own catalog become links, never one of a document."""
    if not citations:
        return []
    lines = [f"*{wording('sources_title')}*"]
    for number, item in enumerate(citations):
        line = _source(item, wording)
        if len("\n".join([*lines, line])) > LONGEST_SECTION - 60:
            lines.append(wording("more_sources", count=len(citations) - number))
            break
        lines.append(line)
    return [context("\n".join(lines))]


def context(text: str) -> Block:
    """Small grey text, already escaped."""
    return {"type": "context", "elements": [{"type": "mrkdwn", "text": text, "verbatim": True}]}


def button(text: str, action: str, value: dict[str, Any] | None = None, url: str | None = None) -> Block:
    """A button; Slack takes 75 characters of label."""
    made: Block = {"type": "button", "text": {"type": "plain_text", "text": cut(text, 75), "emoji": False},
                   "action_id": action}  # fmt: skip
    return made | ({"value": json.dumps(value)} if value else {}) | ({"url": url} if url else {})


def _source(item: Citation, wording: Words) -> str:
    title = escaped(cut(" ".join(item.title.split()), 150)).replace("|", "¦")
    if item.kind == "catalog" and item.url and item.url.startswith("https://") and not set(item.url) & set("<>| \n"):
        title = f"<{escaped(item.url)}|{title}>"
    place = escaped(cut(" ".join(item.locator.split()), 110)).replace("`", "'")
    return joined([f"[{item.marker}] {title}", wording(f"source_{item.kind}"), f"`{place}`", item.date or ""], 900)


def _unsaid(answer: Answer, wording: Words) -> list[Block]:
    """Questions and warnings that the text does not hold already; the planner's text asks what it means to ask."""
    found: list[Block] = []
    questions = () if answer.engine == PLANNER else answer.clarifying_questions
    for title, lines in (("questions_title", questions), ("warnings_title", answer.warnings)):
        fresh = [line for line in lines if line not in answer.answer]
        if fresh:
            found += [rich.paragraph(wording(title), bold=True), rich.bullets([cut(line, 1000) for line in fresh])]
    return found


def _foot(answer: Answer, wording: Words, page: str | None, *, modern: bool, private: bool) -> list[Block]:
    """Follow-ups, how well the numbers are founded, and whether it helped."""
    value = {"c": answer.conversation_id, "a": answer.id, "l": wording.language}
    buttons = [button(wording(f"button_{name}"), f"follow_up:{name}", value) for name in follow_ups(answer)]
    if private:
        buttons.append(button(wording("share"), "share:channel", value))
    if page:
        buttons.append(button(wording("open_page"), "link:page", url=page))
    foot: list[Block] = [{"type": "actions", "elements": buttons}] if buttons else []
    counts = answer.grounding
    if counts.numbers:
        foot.append(context(wording("grounded_line", grounded=counts.grounded, numbers=counts.numbers)))
    return [*foot, _feedback(value, wording, modern)]


def _feedback(value: dict[str, Any], wording: Words, modern: bool) -> Block:
    good, bad = (json.dumps(value | {"v": helpful}) for helpful in (1, 0))
    if not modern:
        votes = (("good", "👍", value | {"v": 1}), ("bad", "👎", value | {"v": 0}))
        return {"type": "actions", "elements": [button(sign, f"feedback:{name}", held) for name, sign, held in votes]}
    sides = {
        f"{side}_button": {
            "text": {"type": "plain_text", "text": sign},
            "accessibility_label": wording(label),
            "value": held,
        }
        for side, sign, label, held in (("positive", "👍", "helpful", good), ("negative", "👎", "unhelpful", bad))
    }
    return {"type": "context_actions", "elements": [{"type": "feedback_buttons", "action_id": "feedback", **sides}]}

"""Sources of a model's answer: each result that its figures came from, and each passage that it cites, as [n]."""

import re
from collections.abc import Iterable, Sequence

from assistant.answer import Citation, ToolCallRecord
from assistant.cite import citation
from assistant.grounding.check import Checked
from assistant.grounding.standing.evidence import QUOTES
from assistant.grounding.wording.statements import statements
from tools.agent_tools.ledger import LookedUp

KEY = re.compile(r"\s?\[{1,2}(R\d{1,4})(?:\.(\d{1,2}))?(?:\.[\w.\[\]]+)?\]{1,2}", re.I)
LIST = re.compile(r"\[{1,2}(R\d{1,4}(?:\.\d{1,2})?(?:\s*[,，、]\s*R\d{1,4}(?:\.\d{1,2})?)+)\]{1,2}", re.I)


def cited(text: str, checked: Checked, looked_up: Sequence[LookedUp]) -> tuple[str, tuple[Citation, ...]]:
    """`text` with its sources numbered: where it cites a key itself, and else behind the first sentence that uses one.

    A key that is no result is dropped.
    """
    by_key = {one.key: one for one in looked_up if not one.failed}
    text = LIST.sub(lambda many: "".join(f"[{one.strip()}]" for one in re.split(r"[,，、]", many[1])), text)
    said = {match[1].upper() for match in KEY.finditer(text)}
    text = _with_keys(text, checked, {key for key in by_key if key not in said})
    citations: dict[tuple[str, int], Citation] = {}

    def number(match: re.Match[str]) -> str:
        one = by_key.get(match[1].upper())
        if one is None:
            return ""
        place = (one.key, int(match[2] or 0))
        if place not in citations:
            citations[place] = _citation(len(citations) + 1, one, place[1])
        return f" [{citations[place].marker}]"

    return KEY.sub(number, text), tuple(citations.values())


def _with_keys(text: str, checked: Checked, unsaid: set[str]) -> str:
    """The text with the key of each source behind the first statement that has a figure of it.

    Of several sources of one figure, one that the answer rests on anyhow is taken, else the last that was looked up.
    """
    places: dict[int, list[str]] = {}
    needed = {sources[0].split(".")[0] for _, sources in checked.sources if len(sources) == 1}
    used: set[str] = set()
    for end, sources in checked.sources:
        keys = [one for one in sources if one.split(".")[0] in unsaid | used]
        if not keys or any(one.split(".")[0] in used for one in keys):
            continue
        source = next((one for one in keys if one.split(".")[0] in needed), keys[-1])
        used.add(source.split(".")[0])
        statement = next((one for one in statements(text) if one.start < end <= one.end), None)
        if statement is not None:
            places.setdefault(_before_stop(statement.text, statement.start), []).append(source)
    for place in sorted(places, reverse=True):
        text = text[:place] + "".join(f" [{source}]" for source in places[place]) + text[place:]
    return text


def _before_stop(text: str, start: int) -> int:
    """Where a marker goes: at the end, before the full stop and what closes a cell."""
    return start + len(text.rstrip().rstrip("。.;；!！?？:：*").rstrip())


def _citation(marker: int, one: LookedUp, passage: int) -> Citation:
    """The citation of a result, or of the `passage`-th passage that it holds."""
    record = _main(one, quotes=bool(passage))
    if record is None:
        quote = str(one.shown.get("steps") or one.shown)[:600]
        return Citation(marker=marker, kind="calculation", title=one.tool, locator=one.key, quote=quote)
    return citation(marker, record, passage)


def _main(one: LookedUp, *, quotes: bool) -> ToolCallRecord | None:
    """The registered tool's call that a result rests on; its last, which worked out the most, or that which quotes."""
    good = [each for each in one.worked if "error" not in each.result]
    good = [each for each in good if (each.tool == QUOTES) is quotes] or good
    return ToolCallRecord(tool=good[-1].tool, request=good[-1].request, result=good[-1].result) if good else None


def records_of(looked_up: Iterable[LookedUp]) -> tuple[ToolCallRecord, ...]:
    """Every call of a registered tool behind these results, in order."""
    return tuple(
        ToolCallRecord(tool=each.tool, request=each.request, result=each.result)
        for one in looked_up
        for each in one.worked
    )

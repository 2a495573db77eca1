"""Citations of a language model's text: keys of tool results become numbered markers with their quotes."""

import re
from collections.abc import Sequence

from assistant.answer import Citation, ToolCallRecord
from assistant.call import citation_key

KEY = re.compile(r"\[\[([0-9a-f]{6})(?:\.(\d{1,2}))?\]\]")


def cited(text: str, records: Sequence[ToolCallRecord]) -> tuple[str, tuple[Citation, ...]]:
    """`text` with every known `[[key]]` as `[n]` and unknown ones dropped, and the citations in order.

    A text that cites nothing gets the calculations it could only have come from, at its end.
    """
    by_key = {citation_key(record): record for record in records}
    citations: dict[str, Citation] = {}

    def number(match: re.Match[str]) -> str:
        record = by_key.get(match[1])
        if record is None:
            return ""
        place = match[0]
        if place not in citations:
            citations[place] = citation(len(citations) + 1, record, int(match[2] or 0))
        return f"[{citations[place].marker}]"

    text = KEY.sub(number, text)
    if not citations:
        for record in records:
            if "error" not in record.result and record.tool != "search_guidance":
                place = citation_key(record)
                citations[place] = citation(len(citations) + 1, record, 0)
        text += "".join(f" [{item.marker}]" for item in citations.values())
    return text, tuple(citations.values())


def citation(marker: int, record: ToolCallRecord, passage: int) -> Citation:
    """The citation of a tool call, or of the `passage`-th passage (from 1) that it returned."""
    passages = record.result.get("passages") or []
    if record.tool == "search_guidance" and 1 <= passage <= len(passages):
        found = passages[passage - 1]
        return Citation(
            marker=marker,
            kind="document",
            title=found["title"],
            locator=f"{found['document']}:{found['line_start']}-{found['line_end']} › {found['heading']}",
            quote=found["text"],
            date=found.get("date"),
        )
    steps = record.result.get("derivation") or []
    quote = "; ".join(
        f"{step['label']}: {step['formula']} = {step['value']} {step['unit']}".strip() for step in steps[:6]
    )
    return Citation(
        marker=marker,
        kind="calculation" if steps else "catalog",
        title=record.tool,
        locator=f"{record.tool} {record.request}"[:300],
        quote=quote or record.tool,
    )

"""Look up what the documents say: passages of the guidance and of what a person ingested, cited to the line."""

from typing import Literal

from pydantic import Field

from kb.records.passage import Passage
from kb.retrieval.passage_filter import PassageFilter
from tools.base import ToolResult

MOST_CONTESTED = 2
"""Passages added because they get wrong what is asked, however they rank."""

WHOLE_SECTIONS = 3
"""Sections found whose remaining pieces are added, so that what they open with is at hand."""


class GuidanceRequest(PassageFilter):
    """A question to the documents, and which of them may answer."""

    query: str = Field(min_length=1, max_length=2000)
    """What to look for, in words, Chinese or English."""
    top: int = Field(default=5, ge=1, le=50)
    """Most passages to search for; the rest of the first sections found is added to them."""
    language: Literal["zh", "en"] | None = None
    """The reader's language: passages in it come first. By default the query's own."""


class GuidanceResult(ToolResult):
    """The passages closest to the question; none when no document speaks of it."""

    passages: tuple[Passage, ...]
    """Best first, each with document, lines, heading, verbatim text, and what the facts say against it."""


def search_guidance(request: GuidanceRequest) -> GuidanceResult:
    """Search the documents for advice: trade-offs, pitfalls, procedures. Passages are quotations, not facts."""
    # Imported here: the index and the sentence model take seconds to load, and no other tool needs them.
    from kb.retrieval.contested import contested
    from kb.retrieval.search import reading, search
    from kb.retrieval.section_rest import section_rest

    among = request.conditions()
    with reading():  # all of one state of the library
        passages = tuple(search(request.query, top=request.top, language=request.language, among=among))
        passages += tuple(section_rest(passages, sections=WHOLE_SECTIONS))
        shown = {(passage.document, passage.line_start) for passage in passages}
        wrong = contested(request.query, top=MOST_CONTESTED, among=among)
    passages += tuple(passage for passage in wrong if (passage.document, passage.line_start) not in shown)
    disputed = [passage for passage in passages if passage.disputes]
    warnings = tuple(
        f"{passage.document}:{passage.line_start}-{passage.line_end} holds a claim the facts contradict: {dispute}"
        for passage in disputed
        for dispute in passage.disputes
    )
    return GuidanceResult(passages=passages, warnings=warnings)

"""The rest of a section that a search found a piece of: an answer is told from its beginning."""

import json
import sqlite3
from collections.abc import Iterable, Sequence

from kb.records.passage import Dispute, Passage
from kb.retrieval.search import dispute_of, passage_of, reading

DISPUTED = {"wrong", "outdated"}
PIECES_MAX = 6
"""Pieces added for one section."""
ROWS = """
SELECT chunks.*, documents.name, documents.title, documents.date, documents.trust
FROM chunks JOIN documents ON documents.id = chunks.document
WHERE documents.name = :document AND chunks.section =
    (SELECT section FROM chunks AS found WHERE found.document = documents.id AND found.line_start = :line LIMIT 1)
ORDER BY chunks.line_start LIMIT :most
"""
FINDINGS = "SELECT finding FROM findings WHERE document = ? AND line BETWEEN ? AND ? ORDER BY line"


def section_rest(found: Sequence[Passage], *, sections: int) -> list[Passage]:
    """The pieces of the first `sections` sections found that the search itself did not bring, at their scores.

    Raises:
        IndexUnavailable: nothing has been ingested.
    """
    shown = {(passage.document, passage.line_start) for passage in found}
    added: list[Passage] = []
    with reading() as connection:
        for passage in _first_of_each(found)[:sections]:
            at = {"document": passage.document, "line": passage.line_start, "most": PIECES_MAX}
            for row in connection.execute(ROWS, at).fetchall():
                if (row["name"], row["line_start"]) not in shown:
                    shown.add((row["name"], row["line_start"]))
                    rest = passage_of(row, passage.score, _disputed(connection, row))
                    added.append(rest.model_copy(update={"answers": passage.answers}))
    return added


def _first_of_each(found: Iterable[Passage]) -> list[Passage]:
    first: dict[tuple[str, str], Passage] = {}
    for passage in found:
        first.setdefault((passage.document, passage.heading), passage)
    return list(first.values())


def _disputed(connection: sqlite3.Connection, row: sqlite3.Row) -> tuple[Dispute, ...]:
    found = connection.execute(FINDINGS, (row["document"], row["line_start"], row["line_end"]))
    findings = [json.loads(text) for (text,) in found]
    return tuple(dict.fromkeys(dispute_of(one) for one in findings if one["verdict"] in DISPUTED))

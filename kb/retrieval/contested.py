"""Claims of the documents that the facts contradict, found by what a question is about.

Ranking shows the best passages; a wrong one about the very thing asked may not be among them, and a reader who has
met it elsewhere should be told. So findings are looked up by their subject: the card or model named, and the property.
"""

import json
import sqlite3
from functools import lru_cache
from typing import Any

from kb.index.index_words import translate, words
from kb.naming.names import gpu_names, model_names
from kb.records.passage import Dispute, Passage
from kb.retrieval.passage_filter import PassageFilter
from kb.retrieval.search import dispute_of, passage_of, reading

DISPUTED = {"wrong", "outdated"}
ROWS = """
SELECT findings.line, findings.finding, chunks.*, documents.name, documents.title, documents.date, documents.trust
FROM findings
JOIN documents ON documents.id = findings.document
JOIN chunks ON chunks.document = findings.document AND findings.line BETWEEN chunks.line_start AND chunks.line_end
ORDER BY findings.document, findings.line, chunks.id
"""


def contested(query: str, *, top: int, among: PassageFilter | None = None) -> list[Passage]:
    """Passages whose disputed claim is about a card or model of the query and about the property asked.

    Each carries only the disputes that the query touches; at most `top`, of the documents that `among` allows.

    Raises:
        IndexUnavailable: nothing has been ingested.
    """
    asked = _named(query)
    if not asked:
        return []
    among = among or PassageFilter()
    said = set(words(query)) | set(words(translate(query)[0]))
    found: dict[int, tuple[sqlite3.Row, list[Dispute]]] = {}
    with reading() as connection:
        for row in connection.execute(ROWS):
            if not (among.speaks(row["language"]) and among.allows(row["name"], row["date"], row["trust"])):
                continue
            finding = json.loads(row["finding"])
            if finding["verdict"] in DISPUTED and _touches(finding, asked, said):
                found.setdefault(row["id"], (row, []))[1].append(dispute_of(finding))
    return [passage_of(row, 0.0, tuple(dict.fromkeys(disputes))) for row, disputes in list(found.values())[:top]]


def _touches(finding: dict[str, Any], asked: frozenset[str], said: set[str]) -> bool:
    about = set(words(finding["attribute"]))
    return bool(about & said) and bool(_named(finding["subject"]) & asked)


@lru_cache(maxsize=2048)
def _named(text: str) -> frozenset[str]:
    """Catalog ids of the cards and models that a text names."""
    mentions = [*gpu_names().scan(text), *model_names().scan(text)]
    return frozenset(key for mention in mentions if mention.exact for key in mention.ids)

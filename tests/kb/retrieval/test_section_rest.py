"""A section of which a search found a piece is completed, in its document and nowhere else."""

from pathlib import Path

import pytest

from ingest.sync import sync
from kb.retrieval.search import search
from kb.retrieval.section_rest import section_rest

LONG = " ".join(["padding"] * 60)
DOCUMENT = f"""# Notes

## Why does the pump hang?

- The pump hangs because a valve is shut. {LONG}

- Look at the gauge of the second boiler. {LONG}

## Elsewhere

- Nothing about it.
"""


@pytest.fixture
def ingested(tmp_path: Path) -> None:
    path = tmp_path / "notes.md"
    path.write_text(DOCUMENT, encoding="utf-8")
    sync([str(path)], only=True)


@pytest.mark.usefixtures("ingested")
def test_the_piece_a_section_opens_with_is_added() -> None:
    found = [one for one in search("gauge of the second boiler", top=5) if "gauge" in one.text][:1]
    (added,) = section_rest(found, sections=1)
    assert "valve is shut" in added.text
    assert (added.document, added.heading, added.score) == (found[0].document, found[0].heading, found[0].score)


@pytest.mark.usefixtures("ingested")
def test_what_is_shown_is_not_added_again() -> None:
    found = search("why does the pump hang, gauge of the second boiler", top=5)
    whole = [*found, *section_rest(found, sections=3)]
    assert section_rest(whole, sections=3) == []


@pytest.mark.usefixtures("ingested")
def test_no_section_is_completed_unasked() -> None:
    assert section_rest(search("gauge of the second boiler", top=5), sections=0) == []

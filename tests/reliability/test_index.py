"""Documents are ingested by two processes at once, on a full disk and into a closed home; search goes on answering."""

import sys
from pathlib import Path

import pytest
from index import INGEST, child, documents, ended, measure


@pytest.mark.skipif(sys.platform != "linux", reason="limits of files and rights are Linux's")
def test_nothing_is_lost_and_every_refusal_is_told(tmp_path: Path) -> None:
    assert ended(child(tmp_path / "home", INGEST, str(documents(tmp_path / "before", 1)))) == (0, "1 0")
    assert [told for good, told in measure(tmp_path, processes=2, each=2) if not good] == []

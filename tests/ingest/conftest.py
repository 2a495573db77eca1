"""Documents to ingest, and a home with the bundled guidance."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

DOCUMENTS = Path(__file__).parent / "documents"


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    """A folder of this test's own with the sample documents."""
    return Path(shutil.copytree(DOCUMENTS, tmp_path / "documents"))


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str | bytes], Path]:
    """Write a file into this test's folder."""

    def write(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write

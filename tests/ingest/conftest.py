"""Documents to ingest, and an index of the bundled guidance that is built once and copied."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from ingest.sync import ensure_bundled
from kb.settings import settings

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


@pytest.fixture(scope="session")
def bundled_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home whose index holds the bundled guidance; copy its `index` folder into a test's own home."""
    home = tmp_path_factory.mktemp("bundled-home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GPU_ADVISOR_HOME", str(home))
        settings.cache_clear()
        ensure_bundled()
    settings.cache_clear()
    return home


@pytest.fixture
def guidance(bundled_index: Path, advisor_home: Path) -> Path:
    """This test's home with the bundled guidance in its index."""
    shutil.copytree(bundled_index, advisor_home)
    return advisor_home

"""Put the measuring scripts beside these tests within reach; each test runs one of them in short."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "bench" / "reliability"))


@pytest.fixture(scope="session", autouse=True)
def _index_of_the_run(guidance_home: Path) -> Iterator[None]:
    """The scripts take the index that the run has built."""
    os.environ["RELIABILITY_INDEX"] = str(guidance_home / "index")
    yield
    del os.environ["RELIABILITY_INDEX"]

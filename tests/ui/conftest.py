"""One advisor for all tests of the faces."""

import shutil
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest
import uvicorn
from fastapi.testclient import TestClient

from assistant.agent import Advisor
from ingest.sync import ensure_bundled
from kb.settings import settings
from ui.serving import service
from ui.serving.site import create_site

ORIGIN = "http://127.0.0.1:7860"


@pytest.fixture(scope="session")
def shared_home(tmp_path_factory: pytest.TempPathFactory, guidance_home: Path) -> Path:
    """The folder all these tests keep their state in."""
    return Path(shutil.copytree(guidance_home, tmp_path_factory.mktemp("faces"), dirs_exist_ok=True))


@pytest.fixture(scope="session", autouse=True)
def _unmended() -> Iterator[None]:
    """A site that outlives its test would look after the index of whichever test runs minutes later."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ui.serving.site.mending", nullcontext)
        yield


@pytest.fixture(autouse=True)
def advisor_home(shared_home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Every test of a face works on the shared home instead of one of its own."""
    monkeypatch.setenv("GPU_ADVISOR_HOME", str(shared_home))
    settings.cache_clear()
    yield shared_home
    settings.cache_clear()


@pytest.fixture(scope="session")
def _advisor(shared_home: Path) -> Iterator[Advisor]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GPU_ADVISOR_HOME", str(shared_home))
        settings.cache_clear()
        advisor = Advisor()
        ensure_bundled()
    settings.cache_clear()
    yield advisor
    advisor.conversations.close()


@pytest.fixture
def advisor(_advisor: Advisor, monkeypatch: pytest.MonkeyPatch) -> Advisor:
    """A real advisor, which the command line finds too."""
    monkeypatch.setattr(service, "advisor", lambda: _advisor)
    return _advisor


@pytest.fixture(scope="session")
def _site(_advisor: Advisor) -> Iterator[TestClient]:
    with TestClient(create_site(_advisor), base_url=ORIGIN, raise_server_exceptions=False) as client:
        yield client


@pytest.fixture
def site(advisor: Advisor, _site: TestClient) -> TestClient:
    """The whole site: page, REST and MCP."""
    return _site


@pytest.fixture(scope="session")
def address(_advisor: Advisor) -> Iterator[str]:
    """The site on a real port of this machine."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(create_site(_advisor), log_level="error", ws="none"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.02)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        server.should_exit = True
        thread.join(10)

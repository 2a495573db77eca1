"""Documents over the web: checked, added, found, removed."""

import base64
import re
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient

from assistant.agent import Advisor
from ingest.apart import Apart, sync_apart
from kb.base import IndexUnavailable
from kb.index.archive import Library
from ui.api import create_app
from ui.serving import uploads
from ui.serving.taking import WAIT_MAX_S, WAIT_S, Jobs, waits_s
from ui.serving.uploads import Text, file_name

WAITING = {"Prefer": "wait=60"}
CLAIMS = """# Cards

The RTX 4090 has 24 GB of memory.

The RTX 6000 Ada supports NVLink.
"""


@pytest.fixture
def added(site: TestClient) -> Iterator[str]:
    """An uploaded document, removed afterwards."""
    answer = site.post(
        "/v1/kb/documents",
        json={"name": "../../notes/quokka.md", "text": "# Quokka\n\nThe quokkarack holds nine cards.\n"},
        headers=WAITING,
    )
    assert answer.status_code == 201
    yield answer.json()["name"]
    site.delete(f"/v1/kb/documents/{answer.json()['name']}", headers=WAITING)


def test_a_text_is_judged_claim_by_claim_under_the_name_it_was_given(site: TestClient) -> None:
    findings = site.post("/v1/kb/check", json={"name": "mine.md", "text": CLAIMS}).json()["findings"]
    verdicts = {finding["line"]: finding["verdict"] for finding in findings}
    assert verdicts[3] == "holds"
    assert verdicts[5] == "wrong"
    assert {finding["document"] for finding in findings} == {"mine.md"}


def test_an_added_document_is_kept_under_a_harmless_name_listed_and_found(site: TestClient, added: str) -> None:
    assert added == "quokka.md"
    listed = {row["name"]: row["kind"] for row in site.get("/v1/kb/documents").json()}
    assert listed[added] == "uploaded"
    assert "bundled" in listed.values()
    passages = site.post("/v1/kb/search", json={"query": "quokkarack"}).json()
    assert "quokkarack" in passages[0]["text"]


CONDITIONS = [
    ({"trusts": ["user"]}, True), ({"trusts": ["bundled"]}, False), ({"languages": ["en"]}, True),
    ({"languages": ["zh"]}, False), ({"sources": ["*quokka.md"]}, True), ({"sources": ["guidance/*"]}, False),
    ({"since": "2020"}, False),
]  # fmt: skip


@pytest.mark.usefixtures("added")
def test_only_documents_that_meet_the_conditions_answer(site: TestClient) -> None:
    """All conditions over one upload: each upload costs a process and a new index."""
    for conditions, found in CONDITIONS:
        passages = site.post("/v1/kb/search", json={"query": "quokkarack cards", **conditions}).json()
        assert any("quokkarack" in one["text"] for one in passages) is found, conditions


def test_a_condition_that_cannot_be_met_is_refused_by_its_name(site: TestClient) -> None:
    answer = site.post("/v1/kb/search", json={"query": "NVLink", "since": "last week"})
    assert answer.status_code == 422
    assert "since" in answer.text


def test_a_removed_document_is_no_longer_found(site: TestClient, added: str) -> None:
    assert site.delete(f"/v1/kb/documents/{added}", headers=WAITING).status_code == 204
    assert all(
        "quokkarack" not in one["text"] for one in site.post("/v1/kb/search", json={"query": "quokkarack"}).json()
    )
    assert site.delete(f"/v1/kb/documents/{added}").status_code == 404


def test_a_document_that_holds_nothing_is_refused_and_leaves_the_library_as_it_was(site: TestClient) -> None:
    before = site.get("/v1/kb/documents").json()
    answer = site.post(
        "/v1/kb/documents", json={"name": "blank.txt", "text": "  \n \n", "form": "text"}, headers=WAITING
    )
    assert answer.status_code == 422
    assert answer.json()["title"] == "bad_document"
    assert site.get("/v1/kb/documents").json() == before


def test_an_upload_that_ruins_its_process_is_not_kept_and_the_former_one_is(
    site: TestClient, added: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = site.get("/v1/kb/documents").json()
    with monkeypatch.context() as patch:
        patch.setattr("ingest.apart.COMMAND", (sys.executable, "-c", "import os; os.abort()"))
        for name in ("new.md", added):
            answer = site.post(
                "/v1/kb/documents", json={"name": name, "text": "# Other\n\nOther words."}, headers=WAITING
            )
            assert answer.status_code == 503
    assert site.get("/v1/kb/documents").json() == before
    passages = site.post("/v1/kb/search", json={"query": "quokkarack"}).json()
    assert "quokkarack" in passages[0]["text"]
    assert "Quokka" in (uploads.folder() / added).read_text()


def test_a_refused_document_costs_one_process_and_the_former_one_stays(
    site: TestClient, added: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    processes = []

    def counted(*given: Any, **more: Any) -> Apart:
        processes.append(given)
        return sync_apart(*given, **more)

    monkeypatch.setattr(uploads, "sync_apart", counted)
    before = {name: one.sha256 for name, one in Library().documents().items()}
    for name in (added, "other.md"):
        refused = site.post("/v1/kb/documents", json={"name": name, "text": "\n\n"}, headers=WAITING)
        assert refused.status_code == 422
    assert len(processes) == 2
    assert {name: one.sha256 for name, one in Library().documents().items()} == before
    assert "quokkarack" in site.post("/v1/kb/search", json={"query": "quokkarack"}).json()[0]["text"]
    assert "quokkarack" in (uploads.folder() / added).read_text()


def ended(site: TestClient, place: str) -> dict[str, Any]:
    """What is told at this place in the end."""
    for _ in range(600):
        told = site.get(place).json()
        if told["state"] != "running":
            return dict(told)
        time.sleep(0.1)
    pytest.fail("it never ended")


def test_what_takes_long_is_accepted_and_its_end_is_told(site: TestClient) -> None:
    document = {"name": "long.md", "text": "# Numbat\n\nThe numbatrack holds ten cards.\n"}
    began = site.post("/v1/kb/documents", json=document, headers={"Prefer": "respond-async, wait=0"})
    assert began.status_code == 202
    assert began.json() == {
        "id": began.json()["id"], "name": "long.md", "state": "running", "added": None, "problem": None
    }  # fmt: skip
    assert int(began.headers["retry-after"]) > 0
    told = ended(site, began.headers["location"])
    assert (told["state"], told["added"]["name"], told["problem"]) == ("done", "long.md", None)
    assert "numbatrack" in site.post("/v1/kb/search", json={"query": "numbatrack"}).json()[0]["text"]
    removing = site.delete("/v1/kb/documents/long.md", headers={"Prefer": "wait=0"})
    assert removing.status_code == 202
    assert ended(site, removing.headers["location"])["state"] == "done"
    assert site.delete("/v1/kb/documents/long.md").status_code == 404


def test_why_a_document_was_refused_later_is_told_in_the_readers_language(site: TestClient) -> None:
    began = site.post("/v1/kb/documents", json={"name": "void.txt", "text": "\n"}, headers={"Prefer": "wait=0"})
    told = ended(site, began.headers["location"])
    assert (told["state"], told["problem"]["title"], told["problem"]["status"]) == ("failed", "bad_document", 422)
    chinese = site.get(began.headers["location"], headers={"Accept-Language": "zh-CN"}).json()
    assert re.search("[\u4e00-\u9fff]", chinese["problem"]["detail"])


def test_a_fault_of_ours_is_told_without_its_words_and_logged(
    site: TestClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    go = threading.Event()

    def broken(document: Text) -> None:
        go.wait(30)
        raise ZeroDivisionError("secret")

    monkeypatch.setattr(uploads, "add", broken)
    began = site.post("/v1/kb/documents", json={"name": "b.md", "text": "b"}, headers={"Prefer": "wait=0"})
    go.set()
    told = ended(site, began.headers["location"])
    assert told["problem"]["status"] == 500
    assert "secret" not in str(told)
    assert "could not be taken in" in caplog.text


def test_no_more_documents_wait_than_there_are_places_and_few_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ui.serving.taking.RUNNING_MAX", 2)
    monkeypatch.setattr("ui.serving.taking.KEPT", 3)
    jobs, go = Jobs(), threading.Event()
    held = [jobs.begin(str(number), lambda: go.wait() and None) for number in range(2)]
    with pytest.raises(IndexUnavailable, match="too many"):
        jobs.begin("third", lambda: None)
    go.set()
    for job in held:
        job.future.result(10)
    later = [jobs.begin(str(number), lambda: None) for number in range(2)]
    assert [jobs.find(job.id) is not None for job in (*held, *later)] == [False, True, True, True]


@pytest.mark.parametrize(
    ("prefer", "seconds"),
    [(None, WAIT_S), ("wait=5", 5), ("respond-async, WAIT = 12", 12), ("wait=9999", WAIT_MAX_S), ("waiting=3", WAIT_S)],
)
def test_how_long_a_request_prefers_to_wait(prefer: str | None, seconds: float) -> None:
    assert waits_s(prefer) == seconds


def test_an_upload_does_not_wait_for_others_without_end(
    site: TestClient, added: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch, uploads._alone():
        patch.setattr(uploads, "PARSER_WAIT_S", 0.01)
        patch.setattr(uploads, "sync_apart", lambda *given, **more: pytest.fail("nothing is taken in"))
        late = site.post("/v1/kb/documents", json={"name": "late.md", "text": "The cards are nine."}, headers=WAITING)
        removed = site.delete(f"/v1/kb/documents/{added}", headers=WAITING)
    assert (late.status_code, removed.status_code) == (503, 503)
    assert int(late.headers["retry-after"]) > 0
    assert not (uploads.folder() / "late.md").exists()


def test_only_uploads_can_be_removed(site: TestClient) -> None:
    for name in ("memory.md", "guidance%2Fen%2Fmemory.md", "..%2Findex%2Flibrary.sqlite3", ".."):
        assert site.delete(f"/v1/kb/documents/{name}").status_code in {404, 405}
    assert site.get("/readyz").json()["index"]["documents"] > 8


def test_a_server_open_to_a_network_takes_no_documents(advisor: Advisor) -> None:
    client = TestClient(create_app(advisor, open_to_uploads=False))
    assert client.post("/v1/kb/documents", json={"text": "# A\n\nb"}).status_code == 403
    assert client.delete("/v1/kb/documents/a.md").status_code == 403
    assert client.post("/v1/kb/check", json={"text": CLAIMS}).status_code == 200


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("notes.md", "notes.md"),
        ("/etc/passwd", "passwd.md"),
        ("..\\..\\boot.ini", "boot.md"),
        ("采购 指南.html", "采购 指南.md"),
        (".hidden", "hidden.md"),
        ("a/b/<c>.md", "c.md"),
        ("x" * 120, "x" * 80 + ".md"),
    ],
)
def test_a_name_becomes_a_file_name(given: str, kept: str) -> None:
    assert file_name(Text(name=given, text="x")) == kept


def test_a_file_of_any_kind_is_checked_from_its_bytes(site: TestClient) -> None:
    content = base64.b64encode(b"Card,Memory\nT4,24 GB\n").decode()
    findings = site.post("/v1/kb/check", json={"name": "cards.csv", "content": content}).json()["findings"]
    assert [(one["document"], one["line"], one["verdict"]) for one in findings] == [("cards.csv", 2, "wrong")]


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        pytest.param({"name": "a.pdf", "content": "!!"}, 422, "content", id="no-base64"),
        pytest.param({"name": "a.exe", "content": "QQ=="}, 422, "name", id="unknown-kind"),
        pytest.param({"name": "a.pdf", "content": "QQ=="}, 422, "path", id="no-pdf"),
        pytest.param({"name": "a.md", "text": "a", "content": "QQ=="}, 422, None, id="both"),
        pytest.param({"name": "a.md"}, 422, None, id="neither"),
        pytest.param({"name": "a.pdf", "content": "Q" * 6_100_000}, 413, "body", id="too-large"),
    ],
)
def test_what_is_no_file_is_refused_by_name(
    site: TestClient, body: dict[str, str], status: int, field: str | None
) -> None:
    answer = site.post("/v1/kb/check", json=body)
    assert answer.status_code == status
    assert field is None or answer.json().get("field") == field, answer.json()

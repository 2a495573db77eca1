"""The file of the local model: named in `local.yaml` or by the person, fetched from the hub once."""

import hashlib
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Literal
from urllib.parse import quote

import httpx
import yaml

from kb.base import BadInput, Frozen, IndexUnavailable, ModelFailed
from kb.lock import exclusive
from kb.units import format_bytes

FOLDER = "models"
MAGIC = b"GGUF"
CONTEXT_TOKENS = 16_384
"""Of a file that the person names."""
TRIES = 6
"""Transfers in a row that bring nothing before it is given up."""
PAUSE_S = 1.0
"""Before the second try; doubled before each further one."""
CONNECT_S, READ_S = 10.0, 30.0
BLOCK_BYTES = 1 << 20
OTHER_WAIT_S = 3600.0
"""How long another process is waited for that fetches the same file."""
Doing = Literal["fetching", "checking"]
Told = Callable[[Doing, int, int], None]
"""Called with what is done, bytes so far and bytes in all."""


class HubFile(Frozen):
    """One file of a hub's repository."""

    title: str
    """What it is."""
    repo: str
    """Owner and name."""
    revision: str
    """Commit it is read at."""
    file: str
    """Its name."""
    size_bytes: int
    """Its exact size."""
    sha256: str
    """Its checksum, which the hub tells as the file's entity tag too."""
    licence: str
    """Of the weights."""
    context_tokens: int
    """Context it is run with."""
    read_on: date
    """Day these were read."""


@lru_cache(maxsize=1)
def default() -> HubFile:
    """The model that `local` names."""
    text = (Path(__file__).parent / "local.yaml").read_text(encoding="utf-8")
    return HubFile.model_validate(yaml.safe_load(text))


def own_file(path: str) -> Path:
    """The GGUF file that a person named.

    Raises:
        BadInput: it is not there, or no GGUF.
    """
    file = Path(path).expanduser()
    try:
        with file.open("rb") as opened:
            begins = opened.read(len(MAGIC))
    except OSError as problem:
        reason = f"{path} cannot be read: {problem.strerror}."
        raise BadInput("GPU_ADVISOR_LLM", reason, "Write local:/path/to/file.gguf.") from None
    if begins != MAGIC:
        raise BadInput("GPU_ADVISOR_LLM", f"{path} is no GGUF file.", "Write local:/path/to/file.gguf.")
    return file


def fetched(wanted: HubFile, home: Path, address: str, told: Told | None = None, pause_s: float = PAUSE_S) -> Path:
    """The file in the home, fetched first where it is not there yet; a broken transfer is taken up where it broke.

    Only a file whose size and checksum are right ever gets its name.

    Args:
        wanted: which file.
        home: the folder of all state.
        address: the hub's.
        told: is told of the progress; none = a line on standard error.
        pause_s: pause before the second try.

    Raises:
        ModelFailed: the hub has no such file or another, it does not answer, the disk is full, or what came is broken.
    """
    target = home / FOLDER / wanted.file
    if _size(target) == wanted.size_bytes:
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f"{target.name}.part")
    with _alone(target.with_name(f"{target.name}.lock")):
        if _size(target) == wanted.size_bytes:  # another process was faster
            return target
        try:
            _fetch(wanted, part, address, told or shown, pause_s)
            _check(wanted, part, told or shown)
            os.replace(part, target)  # noqa: PTH105 - one step, over what is there
        except OSError as problem:
            raise ModelFailed(f"{target} could not be written: {problem.strerror or problem}.") from None
    return target


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    try:
        with exclusive(lock, wait_s=OTHER_WAIT_S):
            yield
    except IndexUnavailable:
        raise ModelFailed("another process has been fetching the same file for an hour.") from None


def _fetch(wanted: HubFile, part: Path, address: str, told: Told, pause_s: float) -> None:
    """Fill the part until it is whole, in as many transfers as it takes; each follows the hub's redirection anew,
    since the address it leads to is good for some minutes only."""
    url = f"{address}/{quote(wanted.repo)}/resolve/{quote(wanted.revision, safe='')}/{quote(wanted.file)}"
    timeout = httpx.Timeout(READ_S, connect=CONNECT_S)
    idle, furthest = 0, _size(part)
    with httpx.Client(timeout=timeout, follow_redirects=True, headers={"Accept-Encoding": "identity"}) as client:
        while _size(part) < wanted.size_bytes:
            _room(wanted, part)
            try:
                reason = _transfer(client, url, wanted, part, told)
            except (httpx.HTTPError, httpx.InvalidURL) as problem:
                reason = f"{type(problem).__name__}: {problem}"
            idle = 0 if _size(part) > furthest else idle + 1
            furthest = max(furthest, _size(part))
            if idle >= TRIES:
                raise ModelFailed(f"{wanted.file} could not be fetched from {address}: {reason[:200]}. {_elsewhere()}")
            if reason:
                time.sleep(min(60.0, pause_s * 2 ** max(0, idle - 1)))
    if _size(part) > wanted.size_bytes:
        part.unlink()
        raise ModelFailed(f"{address} sent more than the {wanted.size_bytes:,} bytes of {wanted.file}. {_elsewhere()}")


def _transfer(client: httpx.Client, url: str, wanted: HubFile, part: Path, told: Told) -> str:
    """One transfer, appended to the part; why it did not bring the rest, or nothing.

    Raises:
        ModelFailed: what no further try would mend.
    """
    have = _size(part)
    with client.stream("GET", url, headers={"Range": f"bytes={have}-"} if have else {}) as reply:
        for hop in (*reply.history, reply):
            _same(wanted, hop)
        status = reply.status_code
        if status in (404, 410) or (status in (401, 403) and not reply.history):
            who = f"{reply.url.host} does not hand out {wanted.file} of {wanted.repo}"
            raise ModelFailed(f"{who} (status {status}). {_elsewhere()}")
        if status == 416:  # less is there than was kept
            part.unlink(missing_ok=True)
        if status not in (200, 206):
            return f"status {status}"
        begins = 0 if status == 200 else _begin(reply)
        if begins not in (0, have):
            part.unlink(missing_ok=True)
            return "the hub answered with another range than was asked for"
        have = begins
        with part.open("ab" if have else "wb") as file:
            for block in reply.iter_raw():  # as it comes: what is held back to fill a block is lost when it breaks off
                file.write(block)
                have, blocks = have + len(block), have // BLOCK_BYTES
                if have >= wanted.size_bytes:
                    told("fetching", wanted.size_bytes, wanted.size_bytes)
                elif have // BLOCK_BYTES > blocks:
                    told("fetching", have // BLOCK_BYTES * BLOCK_BYTES, wanted.size_bytes)
                if have > wanted.size_bytes:
                    break
    return "" if have >= wanted.size_bytes else "the transfer ended early"


def _begin(reply: httpx.Response) -> int:
    """Where a part of a file begins, `bytes 100-199/200`; -1 where that is not said."""
    begins = reply.headers.get("Content-Range", "").removeprefix("bytes ").partition("-")[0]
    return int(begins) if begins.isdecimal() else -1


def _same(wanted: HubFile, hop: httpx.Response) -> None:
    """Refuse at once what the hub itself says is another file."""
    tag = hop.headers.get("X-Linked-Etag", "").removeprefix("W/").strip('"').lower()
    if len(tag) == len(wanted.sha256) and tag != wanted.sha256:
        raise ModelFailed(f"{hop.url.host} holds another {wanted.file}: its checksum is {tag}, not {wanted.sha256}.")
    size = hop.headers.get("X-Linked-Size", "")
    if size.isdecimal() and int(size) != wanted.size_bytes:
        raise ModelFailed(f"{hop.url.host} holds another {wanted.file}: {size} bytes, not {wanted.size_bytes}.")


def _check(wanted: HubFile, part: Path, told: Told) -> None:
    digest, done = hashlib.sha256(), 0
    with part.open("rb") as file:
        while block := file.read(BLOCK_BYTES):
            digest.update(block)
            done += len(block)
            told("checking", done, wanted.size_bytes)
    if digest.hexdigest() != wanted.sha256:
        part.unlink()
        raise ModelFailed(
            f"what came as {wanted.file} is broken: its checksum is {digest.hexdigest()}, not {wanted.sha256}. "
            "It was deleted; try again."
        )


def _room(wanted: HubFile, part: Path) -> None:
    missing, free = wanted.size_bytes - _size(part), shutil.disk_usage(part.parent).free
    if free < missing:
        raise ModelFailed(
            f"{wanted.file} needs {format_bytes(missing)} more, and {part.parent} has {format_bytes(free)} free."
        )


def shown(doing: Doing, done: int, total: int) -> None:
    """A line on standard error: one that redraws itself where a person watches, else one every tenth."""
    last = done >= total
    if sys.stderr.isatty():
        line = f"\r{doing} the language model: {format_bytes(done)} of {format_bytes(total)}   "
        sys.stderr.write(line + ("\n" if last else ""))
    elif last or done * 10 // total > max(0, done - BLOCK_BYTES) * 10 // total:
        sys.stderr.write(f"{doing} the language model: {done * 100 // total} %\n")
    sys.stderr.flush()


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _elsewhere() -> str:
    return "HF_ENDPOINT may name a mirror, and local:/path/to/file.gguf takes a file that is there."

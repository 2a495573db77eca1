"""One file with all state that cannot be made anew, and the way back; the index and what was fetched can be."""

import gzip
import hashlib
import io
import json
import sqlite3
import tarfile
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from assistant.conversations import Conversations
from kb.base import BadInput
from kb.settings import Settings

FORM = "gpu-advisor-backup-1"
CONVERSATIONS, MANIFEST = "conversations.jsonl", "manifest.json"
DATABASES = ("keys.sqlite",)
FOLDERS = ("uploads",)
"""Documents people added; ingesting them again makes their passages."""
LARGEST_BYTES = 8 * 2**30


def backup(options: Settings, target: Path) -> dict[str, int]:
    """Write the state of this home (and of its Postgres) to `target`; says how many of each there are.

    A server may run meanwhile: each conversation is whole, and the database of keys is copied by SQLite itself.

    Raises:
        BadInput: the file is there already or cannot be written.
    """
    if target.exists():
        raise BadInput("FILE", f"{target} exists.", "Choose another name; a backup overwrites nothing.")
    digests: dict[str, str] = {}
    draft = target.with_name(target.name + ".part")
    try:
        with tempfile.TemporaryDirectory() as scratch, tarfile.open(draft, "w:gz", compresslevel=6) as archive:
            draft.chmod(0o600)
            held, turns = _write_conversations(options, Path(scratch) / CONVERSATIONS)
            files = [(CONVERSATIONS, Path(scratch) / CONVERSATIONS)]
            files += [(name, _copy(options.home / name, Path(scratch) / name)) for name in DATABASES
                      if (options.home / name).exists()]  # fmt: skip
            documents = [(str(path.relative_to(options.home)), path) for path in _documents(options.home)]
            for name, path in [*files, *documents]:
                digests[name] = hashlib.sha256(path.read_bytes()).hexdigest()
                archive.add(path, name, recursive=False)
            manifest = {"form": FORM, "made_s": time.time(), "files": digests}
            content = json.dumps(manifest, indent=1).encode()
            entry = tarfile.TarInfo(MANIFEST)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
        draft.replace(target)
    except OSError as problem:
        draft.unlink(missing_ok=True)
        raise BadInput("FILE", f"cannot be written: {problem.strerror or problem}.") from None
    return {"conversations": held, "turns": turns, "documents": len(documents)}


def restore(options: Settings, source: Path, *, over: bool = False) -> dict[str, int]:
    """Put a backup into this home (or its Postgres). Everything is checked before anything is changed.

    Raises:
        BadInput: the file is no whole backup; or the home holds conversations and `over` was not given.
    """
    with tempfile.TemporaryDirectory() as scratch:
        names = _unpacked(source, Path(scratch))
        lines = list(_lines(Path(scratch) / CONVERSATIONS))
        with closing(_conversations(options)) as store:
            if store.listing(1) and not over:
                raise BadInput("FILE", "would be mixed with the conversations held here.", "Add --over to do so.")
            for line in lines:
                try:
                    store.restore(line)
                except (KeyError, IndexError, TypeError, ValueError):
                    raise BadInput("FILE", "holds a conversation that cannot be read.") from None
        for name in names - {CONVERSATIONS}:
            target = options.home / name
            target.parent.mkdir(parents=True, exist_ok=True)
            draft = target.with_name(target.name + ".part")
            draft.write_bytes((Path(scratch) / name).read_bytes())
            draft.chmod(0o600)
            for left in ("-wal", "-shm") if name in DATABASES else ():
                target.with_name(target.name + left).unlink(missing_ok=True)
            draft.replace(target)
    turns = sum(len(line["turn"]) for line in lines)
    documents = sum(name.split("/")[0] in FOLDERS for name in names)
    return {"conversations": len(lines), "turns": turns, "documents": documents}


def _conversations(options: Settings) -> Conversations:
    return Conversations(options.home / "conversations.sqlite", options.database_url)


def _write_conversations(options: Settings, path: Path) -> tuple[int, int]:
    held = turns = 0
    with closing(_conversations(options)) as store, path.open("w", encoding="utf-8") as file:
        for whole in store.export():
            held, turns = held + 1, turns + len(whole["turn"])
            file.write(json.dumps(whole, ensure_ascii=False) + "\n")
    return held, turns


def _copy(source: Path, target: Path) -> Path:
    with closing(sqlite3.connect(source)) as original, closing(sqlite3.connect(target)) as copy:
        original.backup(copy)
    return target


def _documents(home: Path) -> Iterator[Path]:
    for folder in FOLDERS:
        for path in sorted((home / folder).rglob("*")):
            if path.is_file() and not path.is_symlink():
                yield path


def _unpacked(source: Path, folder: Path) -> set[str]:
    """The names of the files of a backup, each whole and in `folder`."""
    try:
        with tarfile.open(source, "r:gz") as archive:
            members = archive.getmembers()
            if sum(member.size for member in members) > LARGEST_BYTES or not all(member.isfile() for member in members):
                raise BadInput("FILE", "is too large, or holds more than files.")
            archive.extractall(folder, filter="data")
        manifest = json.loads((folder / MANIFEST).read_bytes())
    except (OSError, EOFError, tarfile.TarError, gzip.BadGzipFile, ValueError) as problem:
        raise BadInput("FILE", f"is no backup that can be read: {type(problem).__name__}.") from None
    names = set(manifest.get("files", {})) if isinstance(manifest, dict) and manifest.get("form") == FORM else set()
    if CONVERSATIONS not in names or not all(map(_belongs, names)):
        raise BadInput("FILE", "is no backup of this program.")
    if {member.name for member in members} != names | {MANIFEST}:
        raise BadInput("FILE", "is not whole.", "Take another copy.")
    for name, digest in manifest["files"].items():
        if hashlib.sha256((folder / name).read_bytes()).hexdigest() != digest:
            raise BadInput("FILE", f"{name} in it is damaged.", "Take another copy.")
    return names


def _belongs(name: str) -> bool:
    parts = name.split("/")
    return name in {CONVERSATIONS, *DATABASES} or (parts[0] in FOLDERS and not {"", ".", ".."} & set(parts))


def _lines(path: Path) -> Iterator[dict[str, list[dict[str, object]]]]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            value = json.loads(line)
            if not isinstance(value, dict):
                raise BadInput("FILE", "holds a conversation that cannot be read.")
            yield value

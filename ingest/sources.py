"""What the library is made of: files, folders and pages a person named, and the files they stand for."""

import hashlib
import json
import logging
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from pydantic import Field

from ingest.fetch import fetch, is_url
from kb.base import BadDocument, BadInput, Frozen
from kb.index.archive import Document, Library

GUIDANCE = Path(__file__).resolve().parent.parent / "kb" / "guidance"
SOURCES = "sources.json"
PAGES = "pages"
FILES_MAX = 100_000
UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")
"""What a name may not hold: it could break lines, turn text around, or hide."""
_log = logging.getLogger(__name__)


class Sources(Frozen):
    """What the library was made of; enough to make it again."""

    bundled: bool = True
    """Whether the bundled guidance is part of it."""
    paths: tuple[str, ...] = Field(default=())
    """Files, folders and addresses a person ingested."""


class File(NamedTuple):
    """A file to ingest."""

    name: str
    """What a citation calls it."""
    path: Path
    root: str
    """What was named when it was ingested: itself, its folder, its address."""


def rooted(path: str | Path) -> str:
    """A path a person named, as it is remembered: absolute, or an address as it is."""
    return str(path) if is_url(str(path)) else str(Path(path).expanduser().resolve())


def shown(name: str) -> str:
    """A name for people: what could break a line or turn it around is spelt out."""
    return UNPRINTABLE.sub(lambda sign: sign[0].encode("unicode_escape", "surrogatepass").decode(), name)


def files(root: str, library: Library, known: dict[str, Document]) -> Iterator[File]:
    """Every file that `root` stands for; hidden ones and links to folders are left out.

    Raises:
        BadInput: a folder holds more files than anyone reads.
    """
    if is_url(root):
        copy = next(iter(sorted((library.folder.parent / PAGES).glob(f"{_digest(root)}.*"))), None)
        if copy:
            yield File(root, copy, root)
        return
    path = Path(root)
    if not path.is_dir():
        # A file that is gone takes its document with it; one that never was is an error.
        if os.path.lexists(path) or root not in known:
            yield File(root, path, root)
        return
    count = 0
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(name for name in names if not name.startswith(".")):
            count += 1
            if count > FILES_MAX:
                raise BadInput("path", f"{root} holds more than {FILES_MAX:,} files.")
            found = Path(folder, name)
            yield File(_name(found), found, root)


def refuse_oddity(file: File) -> None:
    """Refuse a file by its name or by where it really lies.

    Raises:
        BadDocument: its name would garble a citation, or it is a link that leaves the folder that was named.
    """
    if UNPRINTABLE.search(file.name):
        raise BadDocument(shown(file.name), "has a name with invisible or undecodable signs; rename it.")
    if file.path.is_symlink() and str(file.path) != file.root and not is_url(file.root):
        try:
            inside = file.path.resolve(strict=True).is_relative_to(file.root)
        except (OSError, RuntimeError):
            raise BadDocument(file.name, "is a link to nothing.") from None
        if not inside:
            raise BadDocument(file.name, "is a link to a file outside the folder; name that file itself.")


def download(root: str, library: Library) -> None:
    """Fetch a page and keep it under the home, in place of its former copy.

    Raises:
        BadDocument: it cannot be fetched; the former copy stays.
    """
    found = fetch(root)
    folder = library.folder.parent / PAGES
    folder.mkdir(parents=True, exist_ok=True)
    copy = folder / f"{_digest(root)}{found.suffix}"
    _write(copy, found.content)
    for other in folder.glob(f"{_digest(root)}.*"):
        if other != copy:
            other.unlink()


def remembered(library: Library) -> Sources:
    """What the library was made of, as it was last written down."""
    try:
        return Sources.model_validate_json((library.folder / SOURCES).read_bytes())
    except FileNotFoundError:
        return Sources()
    except (OSError, ValueError):
        _log.warning("%s cannot be read; the documents in the library stay.", library.folder / SOURCES)
        return Sources(paths=tuple(sorted({document.root for document in library.documents().values()})))


def remember(library: Library, sources: Sources) -> None:
    """Write it down."""
    text = json.dumps(sources.model_dump(mode="json"), ensure_ascii=False, indent=1)
    _write(library.folder / SOURCES, text.encode("utf-8", "surrogatepass"))


def is_gone(document: Document, sources: Sources, roots: Sequence[str]) -> bool:
    """Whether a document without a file belongs to no source any more, or its file has left one just synced."""
    if document.trust == "bundled":
        return not sources.bundled or str(GUIDANCE) in roots
    if is_url(document.root):
        return document.root not in sources.paths
    path = Path(document.path)
    if not any(path.is_relative_to(source) for source in sources.paths):
        return True
    return any(path.is_relative_to(root) for root in roots)


def _name(path: Path) -> str:
    """What a document is called: bundled ones by their place in the package, others by their path."""
    return f"guidance/{path.relative_to(GUIDANCE).as_posix()}" if path.is_relative_to(GUIDANCE) else str(path)


def _digest(root: str) -> str:
    return hashlib.sha256(root.encode()).hexdigest()[:32]


def _write(path: Path, content: bytes) -> None:
    """Replace a file as a whole, also when the power fails."""
    new = path.with_name(f"{path.name}.new")
    with new.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)

"""API keys: made and revoked on the command line, kept as hashes in the home, shown once."""

import hashlib
import secrets
import time
import uuid
from pathlib import Path
from typing import Literal, get_args

from pydantic import Field

from assistant.sqlite_file import SqliteFile
from kb.base import BadInput, Frozen, UnknownName
from kb.naming.names import close_names

Scope = Literal["ask", "tools", "ingest", "admin"]
"""ask: questions, conversations and the page; tools: tools, catalog and search; ingest: add and remove documents;
admin: everything."""
SCOPES: tuple[Scope, ...] = get_args(Scope)
PREFIX = "ga_"
SECRET_BYTES = 32
PER_MINUTE = 120
DAY_S = 86_400.0
MOST_FOUND = 10_000
"""Keys remembered between changes of the file, unknown ones too."""
MIGRATIONS = (
    """
    CREATE TABLE key (
        id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, hash TEXT NOT NULL UNIQUE, scopes TEXT NOT NULL,
        per_minute INTEGER NOT NULL, created_s {real} NOT NULL, expires_s {real}, revoked_s {real}
    ){options}
    """,
)
FIELDS = ("id", "name", "scopes", "per_minute", "created_s", "expires_s", "revoked_s")


class Key(Frozen):
    """What is known of a key; the key itself is not."""

    id: str
    name: str = Field(pattern=r"^[\w][\w .@-]{0,63}$")
    """Whose it is, or what for; conversations belong to it."""
    scopes: tuple[Scope, ...] = Field(min_length=1)
    per_minute: int = Field(default=PER_MINUTE, ge=1, le=100_000)
    """Requests a minute; an item of a batch counts as one."""
    created_s: float
    expires_s: float | None = None
    revoked_s: float | None = None

    @property
    def state(self) -> Literal["valid", "expired", "revoked"]:
        """Whether it opens anything now."""
        if self.revoked_s is not None:
            return "revoked"
        return "expired" if self.expires_s is not None and self.expires_s <= time.time() else "valid"


class Keys:
    """The keys of one home. A key is 256 random bits, so a plain hash of it tells nothing."""

    def __init__(self, home: Path) -> None:
        path = home / "keys.sqlite"
        self._database = SqliteFile(path)
        self._database.migrate(MIGRATIONS)
        path.chmod(0o600)
        self._found: dict[str, Key | None] = {}
        self._as_of = -1

    def create(
        self, name: str, scopes: tuple[Scope, ...], per_minute: int = PER_MINUTE, days: float | None = None
    ) -> tuple[str, Key]:
        """A new key and what is kept of it.

        Raises:
            BadInput: the name is taken.
            ValidationError: a field is out of bounds.
        """
        now = time.time()
        expires_s = now + days * DAY_S if days is not None else None
        key = Key(
            id=uuid.uuid4().hex[:8], name=name, scopes=scopes, per_minute=per_minute, created_s=now, expires_s=expires_s
        )
        secret = PREFIX + secrets.token_urlsafe(SECRET_BYTES)
        with self._database.transaction() as execute:
            if execute("SELECT 1 FROM key WHERE name = ?", name):
                raise BadInput("name", "is the name of another key.", "Choose another; revoked keys keep theirs.")
            execute(
                "INSERT INTO key (id, name, hash, scopes, per_minute, created_s, expires_s) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                key.id, name, _hash(secret), " ".join(scopes), per_minute, now, expires_s,
            )  # fmt: skip
        return secret, key

    def find(self, secret: str) -> Key | None:
        """The valid key with these letters."""
        if not secret.startswith(PREFIX) or len(secret) > 100:
            return None
        key = self._known(_hash(secret))
        return key if key is not None and key.state == "valid" else None

    def _known(self, digest: str) -> Key | None:
        """The key of a digest; read once until any process, this one too, changes the file."""
        if (as_of := self._database.changes()) != self._as_of or len(self._found) >= MOST_FOUND:
            self._found, self._as_of = {}, as_of
        found = self._found
        if digest not in found:
            with self._database.reading() as execute:
                rows = execute(f"SELECT {', '.join(FIELDS)} FROM key WHERE hash = ?", digest)  # noqa: S608 - FIELDS
            found[digest] = _key(rows[0]) if rows else None
        return found[digest]

    def listing(self) -> list[Key]:
        """Every key, the oldest first."""
        with self._database.reading() as execute:
            return [_key(row) for row in execute(f"SELECT {', '.join(FIELDS)} FROM key ORDER BY created_s")]  # noqa: S608

    def revoke(self, name: str) -> Key:
        """Close a key by its id or name, from the next request on.

        Raises:
            UnknownName: with the closest names.
        """
        with self._database.transaction() as execute:
            done = execute(
                "UPDATE key SET revoked_s = COALESCE(revoked_s, ?) WHERE id = ? OR name = ? RETURNING id",
                time.time(), name, name,
            )  # fmt: skip
            rows = execute(f"SELECT {', '.join(FIELDS)} FROM key WHERE id = ?", done[0][0]) if done else []  # noqa: S608
        if not rows:
            raise UnknownName("key", name, close_names(name, [key.name for key in self.listing()]))
        return _key(rows[0])

    def close(self) -> None:
        """Close the file."""
        self._database.close()


def _key(row: tuple[object, ...]) -> Key:
    values = dict(zip(FIELDS, row, strict=True))
    return Key.model_validate({**values, "scopes": str(values["scopes"]).split()})


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()

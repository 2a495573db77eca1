"""`gpu-advisor backup`, `restore` and `forget`: keep state, bring it back, let go of it."""

import argparse
from pathlib import Path
from typing import Any

from kb.base import BadInput
from kb.settings import settings


def add_to(commands: Any) -> None:
    """The three commands."""
    backup = commands.add_parser("backup", help="write conversations, keys and added documents to one file")
    backup.add_argument("file", metavar="FILE", type=Path, help="a new .tar.gz; a server may run meanwhile")
    backup.set_defaults(run=run_backup)
    restore = commands.add_parser("restore", help="bring a backup back, into SQLite or Postgres")
    restore.add_argument("file", metavar="FILE", type=Path)
    restore.add_argument("--over", action="store_true", help="also where conversations are held already")
    restore.set_defaults(run=run_restore)
    forget = commands.add_parser("forget", help="delete conversations for good")
    forget.add_argument("conversation", nargs="?", metavar="ID", help="this one")
    forget.add_argument("--days", type=float, help="those not used for so many days")
    forget.add_argument("--owner", metavar="NAME", help="all of one person: key:NAME or user:NAME")
    forget.set_defaults(run=run_forget)


def run_backup(options: argparse.Namespace) -> int:
    """Write the file and say what it holds."""
    from ui.serving.backup import backup

    print(_told(backup(settings(), options.file)))
    return 0


def run_restore(options: argparse.Namespace) -> int:
    """Bring it back and say what is left to do."""
    from ui.serving.backup import restore

    done = restore(settings(), options.file, over=options.over)
    print(_told(done))
    if done["documents"]:
        print(f"The documents are read again by: gpu-advisor ingest {settings().home / 'uploads'}")
    return 0


def run_forget(options: argparse.Namespace) -> int:
    """Delete one conversation, the old ones, or those of one person."""
    if sum(value is not None for value in (options.conversation, options.days, options.owner)) != 1:
        raise BadInput("forget", "needs one of ID, --days and --owner.")
    if options.days is not None and not 0 <= options.days <= 36_500:
        raise BadInput("--days", "must lie between 0 and 36500.")
    from assistant.conversations import Conversations

    store = Conversations(settings().home / "conversations.sqlite", settings().database_url)
    if options.conversation is not None:
        if not store.delete(options.conversation):
            raise BadInput("ID", "names no conversation.")
        gone = 1
    else:
        gone = store.forget(unused_days=options.days or 0.0, owned_by=options.owner)
    store.close()
    print(f"{gone} conversations forgotten")
    return 0


def _told(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items())

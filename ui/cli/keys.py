"""`gpu-advisor keys`: make, list and revoke API keys."""

import argparse
import json
from datetime import UTC, datetime
from typing import Any

from pydantic import ValidationError

from kb.settings import settings
from tools.refused import bad_input
from ui.entrance.keys import PER_MINUTE, SCOPES, Key, Keys


def add_to(commands: Any) -> None:
    """The `keys` command."""
    keys = commands.add_parser("keys", help="keys for the API, MCP and the page; asked for when GPU_ADVISOR_AUTH=keys")
    parts = keys.add_subparsers(dest="part", required=True, metavar="create|list|revoke")
    create = parts.add_parser("create", help="make a key and show it once")
    create.add_argument("name", help="whose it is, or what for")
    create.add_argument(
        "--scope", action="append", choices=SCOPES, default=[],
        help="what it may do, repeatable (default: ask and tools): ask questions and open the page; use tools, "
        "catalog and search; ingest and remove documents; admin: everything",
    )  # fmt: skip
    create.add_argument("--per-minute", type=int, default=PER_MINUTE, metavar="N", help="most requests a minute")
    create.add_argument("--days", type=float, help="how long it is valid (default: until revoked)")
    create.add_argument("--json", action="store_true")
    create.set_defaults(run=run_create)
    listing = parts.add_parser("list", help="the keys, without their letters")
    listing.add_argument("--json", action="store_true", help="one key a line")
    listing.set_defaults(run=run_list)
    revoke = parts.add_parser("revoke", help="close a key at once")
    revoke.add_argument("name", help="its name or id")
    revoke.set_defaults(run=run_revoke)


def run_create(options: argparse.Namespace) -> int:
    """Make a key; it is printed and never again."""
    scopes = tuple(dict.fromkeys(options.scope)) or ("ask", "tools")
    try:
        secret, key = Keys(settings().home).create(options.name, scopes, options.per_minute, options.days)
    except ValidationError as problem:
        raise bad_input(problem) from None
    if options.json:
        print(json.dumps({"key": secret, **_plain(key)}, ensure_ascii=False))
    else:
        print(f"{secret}\n\nThis is “{key.name}” ({', '.join(key.scopes)}). It is not shown again.")
    return 0


def run_list(options: argparse.Namespace) -> int:
    """What is known of every key."""
    for key in Keys(settings().home).listing():
        if options.json:
            print(json.dumps(_plain(key), ensure_ascii=False))
        else:
            until = f", until {_day(key.expires_s)}" if key.expires_s else ""
            print(f"{key.id}  {key.state:8}{key.name}: {', '.join(key.scopes)}; {key.per_minute} a minute{until}")
    return 0


def run_revoke(options: argparse.Namespace) -> int:
    """From the next request on the key opens nothing."""
    key = Keys(settings().home).revoke(options.name)
    print(f"{key.name} is revoked.")
    return 0


def _plain(key: Key) -> dict[str, Any]:
    return {**key.model_dump(mode="json"), "state": key.state}


def _day(moment_s: float) -> str:
    return datetime.fromtimestamp(moment_s, UTC).date().isoformat()

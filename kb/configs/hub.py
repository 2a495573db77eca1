"""Configurations of models the catalog lacks, read from the hub that publishes them and kept."""

import json
import re
import urllib.parse
import urllib.request
from contextlib import suppress
from http.client import HTTPException
from typing import Any

from kb.settings import settings

ADDRESS = "https://huggingface.co"
TIMEOUT_S = 4.0
LARGEST_BYTES = 4_000_000
HUB_ID = re.compile(r"[\w][\w.-]{0,95}/[\w][\w.-]{0,95}")
"""Owner and name; nothing that could leave the folder or the host."""


def hub_config(identity: str, *, address: str | None = None, timeout_s: float = TIMEOUT_S) -> dict[str, Any] | None:
    """The `config.json` of a model by its id, from the copy kept at home or from the hub.

    None when the id is none, the hub does not answer in time, or has no such model.
    """
    if not HUB_ID.fullmatch(identity) or ".." in identity:
        return None
    kept = settings().home / "hub" / f"{identity.replace('/', '--')}.json"
    with suppress(OSError, ValueError):
        document = json.loads(kept.read_bytes())
        return document if isinstance(document, dict) else None
    document = _fetch(f"{address or ADDRESS}/{urllib.parse.quote(identity)}/resolve/main/config.json", timeout_s)
    if document is not None:
        with suppress(OSError):
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_text(json.dumps(document), encoding="utf-8")
    return document


def _fetch(url: str, timeout_s: float) -> dict[str, Any] | None:
    try:
        with urllib.request.urlopen(url, timeout=timeout_s) as answer:  # noqa: S310 - the scheme is fixed above
            content = answer.read(LARGEST_BYTES + 1)
        document = json.loads(content) if len(content) <= LARGEST_BYTES else None
    except (OSError, HTTPException, ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None

"""The newest releases of the packages whose releases the catalog holds, asked of the index of Python packages."""

import json
import urllib.request
from http.client import HTTPException

from kb.programs.releases import releases

ADDRESS = "https://pypi.org"
TIMEOUT_S = 5.0
LARGEST_BYTES = 30_000_000
NAMES = {"pytorch": "torch"}
"""Package of the catalog → its name in the index, where that is another."""


def newest_of_index(address: str = ADDRESS, timeout_s: float = TIMEOUT_S) -> dict[str, str]:
    """Package → its newest release; without those for which the index did not answer."""
    found = {}
    for package in releases():
        version = _newest(f"{address}/pypi/{NAMES.get(package, package)}/json", timeout_s)
        if version is not None:
            found[package] = version
    return found


def _newest(url: str, timeout_s: float) -> str | None:
    try:
        with urllib.request.urlopen(url, timeout=timeout_s) as answer:  # noqa: S310 - the scheme is the caller's constant
            content = answer.read(LARGEST_BYTES + 1)
        version = json.loads(content)["info"]["version"] if len(content) <= LARGEST_BYTES else None
    except (OSError, HTTPException, ValueError, KeyError, TypeError, RecursionError):
        return None
    return version if isinstance(version, str) else None

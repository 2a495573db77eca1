"""A bill of materials in CycloneDX JSON, written from the lock: `python -m ui.reference.sbom [FILE]`."""

import json
import re
import sys
import uuid
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import Any

LOCK = Path(__file__).parents[2] / "requirements.lock"
PINNED = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)(?:\[[^\]]*\])?==(?P<version>[^\s;]+)(?:\s*;\s*(?P<marker>[^#]+))?")
NAMESPACE = uuid.UUID("6ba7b811-9dad-11d1-80b4-00c04fd430c8")
"""Of RFC 4122 for addresses: the same lock gives the same serial number."""


def main(arguments: list[str] | None = None) -> int:
    """Write the bill to a file, or print it."""
    target = (sys.argv[1:] if arguments is None else arguments)[:1]
    text = json.dumps(bill(LOCK.read_text(encoding="utf-8")), indent=2, ensure_ascii=False) + "\n"
    if target:
        Path(target[0]).write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)
    return 0


def bill(lock: str) -> dict[str, Any]:
    """The bill of a lock's text; nothing in it depends on when or where it is written, but for licences installed."""
    components = [_component(*each) for each in pinned(lock)]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(NAMESPACE, lock)}",
        "version": 1,
        "metadata": {"component": {"type": "application", "bom-ref": "gpu-advisor", "name": "gpu-advisor"}},
        "components": components,
        "dependencies": [{"ref": "gpu-advisor", "dependsOn": [each["bom-ref"] for each in components]}],
    }


def pinned(lock: str) -> Iterator[tuple[str, str, str]]:
    """Name, version and marker of every pin, in the lock's order."""
    for line in lock.splitlines():
        if found := PINNED.match(line):
            yield normal(found["name"]), found["version"], (found["marker"] or "").strip()


def normal(name: str) -> str:
    """A distribution's name as registries compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _component(name: str, version: str, marker: str) -> dict[str, Any]:
    address = f"pkg:pypi/{name}@{version}"
    component: dict[str, Any] = {
        "type": "library", "bom-ref": address, "name": name, "version": version, "purl": address
    }  # fmt: skip
    if marker:
        component["properties"] = [{"name": "python:marker", "value": marker}]
    if licence := _licence(name):
        component["licenses"] = [{"license": {"name": licence}}]
    return component


def _licence(name: str) -> str:
    try:
        known = metadata(name)
    except PackageNotFoundError:
        return ""
    said = next((known[field] for field in ("License-Expression", "License") if field in known), "")
    return said if said and len(said) <= 80 and "\n" not in said else ""


if __name__ == "__main__":
    sys.exit(main())

"""Blocks as a person reads them."""

from collections.abc import Sequence
from typing import Any

from ui.slack import rich


def text_of(blocks: Sequence[dict[str, Any]]) -> str:
    """All the words of some blocks, in order."""
    return "\n".join(_block(block) for block in blocks)


def _block(block: dict[str, Any]) -> str:
    kind = block["type"]
    if kind in ("rich_text", "table"):
        return rich.readable(block)
    if kind == "carousel":
        return "\n".join(
            " / ".join(card[part]["text"] for part in ("title", "subtitle", "body") if part in card)
            for card in block["elements"]
        )
    if kind == "context":
        return " ".join(part["text"] for part in block["elements"])
    if kind == "actions":
        return " ".join(f"[{part['text']['text']}]" for part in block["elements"])
    if kind in ("section", "header"):
        return str(block["text"]["text"])
    return str(block.get("alt_text", ""))


def buttons_of(blocks: Sequence[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Every button by its action."""
    return {one["action_id"]: one for block in blocks if block["type"] == "actions" for one in block["elements"]}

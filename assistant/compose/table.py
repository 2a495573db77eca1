"""Markdown tables."""

from collections.abc import Sequence


def table(head: Sequence[str], rows: Sequence[Sequence[str]], *, numeric: bool = True) -> str:
    """A Markdown table; with `numeric`, every column but the first is aligned right."""
    rule = ["---", *(["---:" if numeric else "---"] * (len(head) - 1))]
    lines = [list(head), rule, *(list(row) for row in rows)]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)

"""A conversation as a file: Markdown, JSON, PDF, and a quotation as a workbook."""

import json
from collections.abc import Sequence
from typing import Literal

from assistant.answer import Answer
from ui.words.markdown import transcript

Form = Literal["md", "json", "pdf", "xlsx"]
KINDS: dict[Form, str] = {
    "md": "text/markdown; charset=utf-8",
    "json": "application/json",
    "pdf": "application/pdf",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


def exported(turns: Sequence[Answer], form: Form) -> bytes:
    """The turns as one file of that form."""
    if form == "json":
        rows = [answer.model_dump(mode="json") for answer in turns]
        return json.dumps(rows, ensure_ascii=False, indent=2).encode()
    if form == "pdf":
        from ui.export.pdf import pdf  # reportlab takes a second to load

        return pdf(turns)
    if form == "xlsx":
        from ui.export.quotation import workbook

        return workbook(turns)
    return transcript(turns).encode()

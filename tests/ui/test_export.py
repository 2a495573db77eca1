"""Conversations as files: a workbook whose totals are live and whose texts are inert, and a PDF that holds Chinese."""

from decimal import Decimal
from io import BytesIO
from typing import Any

import pytest
from openpyxl import load_workbook

from assistant.answer import Answer, Citation
from tools.configuration import Configuration, Item, MemoryFit, Price
from tools.need import Need
from ui.export import exported

ACTIVE = '=HYPERLINK("https://attacker.example","x")'


def answer(**changes: Any) -> Answer:
    one = Configuration(
        rank=1, title="2 × L20", acquisition="buy", gpu="l20-48gb", gpu_count=2, nodes=1,
        memory=MemoryFit(needed_bytes_per_gpu=30 * 2**30, usable_bytes_per_gpu=44 * 2**30, verdict="yes"),
        price=Price(amount=Decimal(9000), as_of="2026-11-01", complete=False),
        items=(
            Item(part="gpu", product=ACTIVE, count=2, unit_price=Decimal(4000), subtotal=Decimal(8000),
                 source="epoch-ml-hardware", price_date="2026-11-01", low=Decimal(7000), high=Decimal(9000)),
            Item(part="rack", product="24U", count=1, unit_price=None, subtotal=None, source=None, price_date=None),
        ),
    )  # fmt: skip
    fields: dict[str, Any] = {
        "id": "a1", "conversation_id": "c1", "question": "两张 L20 够吗？", "language": "zh", "verdict": "fits",
        "answer": "**能**。显存 30 GiB [1]\n\n| 项目 | 值 |\n|---|---|\n| 权重 | ≈ 15 |\n\n- 一\n- 二\n\n```\n--x\n```",
        "need": Need(), "configurations": (one,), "engine": "planner", "elapsed_s": 0.1,
        "citations": (Citation(marker=1, kind="document", title="@evil", locator="a.md:1", quote=ACTIVE),),
    }  # fmt: skip
    return Answer(**(fields | changes))


def test_totals_are_formulas_of_the_lines_and_unknown_prices_stay_empty() -> None:
    sheet = load_workbook(BytesIO(exported([answer()], "xlsx"))).worksheets[0]
    cells = {cell.coordinate: cell for row in sheet.iter_rows() for cell in row if cell.value is not None}
    formulas = [cell.value for cell in cells.values() if cell.data_type == "f"]
    assert sum(value.startswith("=SUM(E") for value in formulas) == 1
    assert sum("*D" in value for value in formulas) == 1
    assert not any(cell.value == 0 for cell in cells.values())


def test_no_text_of_a_document_or_a_person_becomes_a_formula() -> None:
    book = load_workbook(BytesIO(exported([answer(question=ACTIVE)], "xlsx")))
    texts = [cell for sheet in book for row in sheet.iter_rows() for cell in row if "attacker" in str(cell.value)]
    assert len(texts) >= 3
    assert all(cell.data_type == "s" and cell.quotePrefix for cell in texts if str(cell.value).startswith("="))


@pytest.mark.parametrize("language", ["zh", "en"])
def test_a_pdf_is_made_of_any_answer(language: str) -> None:
    content = exported([answer(language=language), answer(answer="<b>&amp; [x](javascript:1) ![](y)")], "pdf")
    assert content.startswith(b"%PDF")
    assert b"STSong-Light" in content


def test_the_same_conversation_gives_the_same_pdf() -> None:
    assert exported([answer()], "pdf") == exported([answer()], "pdf")


def test_a_conversation_without_configurations_has_a_workbook_too() -> None:
    book = load_workbook(BytesIO(exported([answer(configurations=())], "xlsx")))
    assert book.sheetnames == ["Sources", "Conversation"]

"""Configurations as a workbook to order from: every line with its price, date and source, and live totals."""

from collections.abc import Sequence
from io import BytesIO
from typing import Any

from openpyxl import Workbook
from openpyxl.styles import Alignment, Font, PatternFill
from openpyxl.worksheet.worksheet import Worksheet

from assistant.answer import Answer
from assistant.compose.names import engine_name, format_name
from assistant.compose.reasons import sentences
from assistant.phrases import phrases
from tools.configuration import Configuration
from ui.web.bill import source_title
from ui.web.cards import dated_plain
from ui.words.labels import labels
from ui.words.markdown import as_markdown
from ui.words.quantities import money, plain, price_range

ACTIVE = ("=", "+", "-", "@", "\t", "\r")
"""First characters a spreadsheet reads as a formula."""
LONGEST_CELL = 30_000
MOST_CONFIGURATIONS = 12
WIDTHS = (22, 54, 10, 16, 18, 18, 18, 14, 46)
AMOUNT = "#,##0.00"


def workbook(turns: Sequence[Answer]) -> bytes:
    """One sheet for each of the best configurations of the last answer that has any, then sources and the talk."""
    book = Workbook()
    book.remove(book.active)
    priced = next((one for one in reversed(turns) if one.configurations), None)
    if priced is not None:
        zh = priced.language == "zh"
        for one in priced.configurations[:MOST_CONFIGURATIONS]:
            _quotation(book.create_sheet(f"{one.rank}. {one.gpu_count}x {one.gpu}"[:31]), one, zh=zh)
    _sources(book.create_sheet("Sources"), turns)
    _talk(book.create_sheet("Conversation"), turns)
    out = BytesIO()
    book.save(out)
    return out.getvalue()


def _quotation(sheet: Worksheet, one: Configuration, *, zh: bool) -> None:
    say = phrases("zh" if zh else "en")
    for column, width in zip("ABCDEFGHI", WIDTHS, strict=True):
        sheet.column_dimensions[column].width = width
    _row(sheet, 1, [one.title], bold=True)
    sheet["A1"].font = Font(bold=True, size=14)
    facts = [
        (_word("as_of", zh), one.price.as_of or _word("undated", zh)),
        (_word("memory_fit", zh), f"{_word(f'fit_{one.memory.verdict}', zh)}"),
        (_word("setup", zh), " · ".join(_setup(one))),
        (_word("why", zh), " ".join(sentences(one.reasons, "why", say)) or one.why),
        (_word("trade_offs", zh), " ".join(sentences(one.reasons, "trade_off", say)) or " ".join(one.trade_offs)),
        (_word("availability", zh), "; ".join(sentences(one.reasons, "availability", say)) or one.availability),
        (_word("note", zh), dated_plain(one, zh=zh)),
    ]
    for number, (name, value) in enumerate(facts, start=2):
        _row(sheet, number, [name, value])
        sheet.cell(number, 1).font = Font(bold=True)
    head = len(facts) + 3
    keys = ("part", "product", "count", "unit_price", "subtotal", "low", "high", "price_date", "source_of_price")
    _row(sheet, head, [_word(key, zh) for key in keys], bold=True, fill=True)
    first = head + 1
    for number, item in enumerate(one.items, start=first):
        source = source_title(item.source) if item.source else ""
        _row(sheet, number, [_word(f"item_{item.part}", zh), item.product, item.count])
        _amounts(sheet, number, item.unit_price, item.subtotal, item.low, item.high)
        _text(sheet.cell(number, 8), item.price_date or "")
        _text(sheet.cell(number, 9), source)
    _total(sheet, first, first + len(one.items), one, zh=zh)
    sheet.freeze_panes = sheet.cell(first, 1)


def _amounts(sheet: Worksheet, row: int, unit: Any, subtotal: Any, low: Any, high: Any) -> None:
    """Prices as numbers, the line's total as a formula of them, so that a changed count changes the sum."""
    if unit is not None:
        sheet.cell(row, 4, float(unit)).number_format = AMOUNT
        sheet.cell(row, 5, f"=C{row}*D{row}").number_format = AMOUNT
    elif subtotal is not None:
        sheet.cell(row, 5, float(subtotal)).number_format = AMOUNT
    for column, value in ((6, low if low is not None else subtotal), (7, high if high is not None else subtotal)):
        if value is not None:
            sheet.cell(row, column, float(value)).number_format = AMOUNT


def _total(sheet: Worksheet, first: int, row: int, one: Configuration, *, zh: bool) -> None:
    period = f" {labels()[f'per_{one.price.period}'][int(zh)]}" if one.price.period else ""
    _text(sheet.cell(row, 1), f"{_word('total', zh)} ({one.price.currency}{period})")
    sheet.cell(row, 1).font = Font(bold=True)
    for column in "EFG":
        cell = sheet[f"{column}{row}"]
        cell.value = f"=SUM({column}{first}:{column}{row - 1})" if row > first else None
        cell.number_format, cell.font = AMOUNT, Font(bold=True)
    remarks = [] if one.price.complete else [_word("incomplete", zh)]
    if asked := one.price.asked_price:
        told = price_range(asked) or money(asked.amount, asked.currency)
        at = f"1 USD = {plain(asked.per_usd)} {asked.currency}{f', {asked.rate_as_of}' if asked.rate_as_of else ''}"
        remarks.append(f"≈ {told}{period} ({at})")
    for number, remark in enumerate(remarks, start=row + 1):
        _text(sheet.cell(number, 1), remark)


def _setup(one: Configuration) -> list[str]:
    words = [format_name(one.weight_format) if one.weight_format else "", engine_name(one.engine) if one.engine else ""]
    words += [f"TP{one.tensor_parallel}" if one.tensor_parallel > 1 else ""]
    words += [f"PP{one.pipeline_parallel}" if one.pipeline_parallel > 1 else ""]
    return [word for word in [*words, one.provider or "", one.instance or "", one.region or ""] if word]


def _sources(sheet: Worksheet, turns: Sequence[Answer]) -> None:
    _row(sheet, 1, ["#", "Source", "Where", "Date", "Address", "Quote"], bold=True, fill=True)
    for column, width in zip("ABCDEF", (6, 46, 46, 14, 50, 90), strict=True):
        sheet.column_dimensions[column].width = width
    cited = [item for answer in turns for item in answer.citations]
    for number, item in enumerate(cited, start=2):
        _row(sheet, number, [item.marker, item.title, item.locator, item.date or "", item.url or "", item.quote])


def _talk(sheet: Worksheet, turns: Sequence[Answer]) -> None:
    sheet.column_dimensions["A"].width, sheet.column_dimensions["B"].width = 50, 120
    for number, answer in enumerate(turns, start=1):
        _row(sheet, number, [answer.question, as_markdown(answer)])


def _row(sheet: Worksheet, number: int, values: Sequence[Any], *, bold: bool = False, fill: bool = False) -> None:
    for column, value in enumerate(values, start=1):
        cell = sheet.cell(number, column)
        if isinstance(value, str):
            _text(cell, value)
        else:
            cell.value = value
        if bold:
            cell.font = Font(bold=True)
        if fill:
            cell.fill = PatternFill("solid", fgColor="DFF2EA")


def _text(cell: Any, text: str) -> None:
    """Text that stays text, whatever it begins with: no spreadsheet may run what a document or a person wrote."""
    cell.value = "".join(character for character in text[:LONGEST_CELL] if character >= " " or character in "\n\t")
    cell.data_type = "s"
    cell.alignment = Alignment(wrap_text=True, vertical="top")
    if text.startswith(ACTIVE):
        cell.quotePrefix = True


def _word(key: str, zh: bool) -> str:
    english, chinese = labels().get(key, (key.replace("_", " "),) * 2)
    return chinese if zh else english

"""Tables of parts and prices: Markdown, tabs, commas or columns, in English and Chinese."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from kb.artifacts.amounts import number
from kb.artifacts.artifact import Block, Fact, Format, Read, Spot, Unread
from kb.artifacts.sheet import Line, Sheet
from kb.artifacts.state.tables import stated
from kb.base import Frozen
from kb.catalog import load_yaml

ROWS_MAX = 2_000
_MARKS = ("price", "cost", "each", "total", "amount", "价", "價", "计", "計", "金额", "金額")
"""One of which every heading of a price holds."""
_RULE = re.compile(r"^[\s|:+=\-]{3,}$")
_AMOUNT = re.compile(
    r"^(?:(?P<before>[A-Za-z]{0,3}[$¥￥€£]|RMB|CNY|USD|EUR|HKD|NTD|TWD)\s?)?(?P<value>\d{1,3}(?:[,，\s]\d{3})+(?:\.\d{1,4})?|\d{1,12}(?:\.\d{1,4})?)"
    r"\s?(?P<many>万|萬|k|K)?\s?(?P<after>元|块|RMB|CNY|USD|EUR|HKD|NTD|TWD|[$¥￥€£])?(?:\s?/\s?\S{1,6})?$"
)
_COUNT = re.compile(
    r"^[x×*]?\s?(\d{1,6}(?:\.\d{1,3})?)\s?(?:台|块|张|張|条|條|个|個|颗|顆|套|根|片|只|件|pcs?|ea|units?|x|×)?\.?$",
    re.I,
)


class Words(Frozen):
    """How headings and sums are written."""

    item: tuple[str, ...]
    quantity: tuple[str, ...]
    unit_price: tuple[str, ...]
    subtotal: tuple[str, ...]
    total: tuple[str, ...]
    parameter: tuple[str, ...]
    currencies: dict[str, str]
    """Sign or word → ISO code."""


@lru_cache(maxsize=1)
def words() -> Words:
    """The words, of both languages."""
    return Words.model_validate(load_yaml(Path(__file__).parent / "words.yaml"))


def split(line: Line) -> list[str]:
    """Cells of a row, whatever parts them."""
    text = line.text.strip()
    if "|" in text:
        return [one.strip(" *`") for one in text.strip("|").split("|")]
    if "\t" in text:
        return [one.strip() for one in text.split("\t")]
    wide = [one.strip() for one in re.split(r"\s{2,}", text)]
    if len(wide) >= 3:
        return wide
    return [one.strip() for one in re.split(r"[,，;；](?!\d{3}(?:\D|$))", text)]


@lru_cache(maxsize=4096)
def _plain(cell: str) -> str:
    """A heading without blanks and what stands in brackets, in lower case."""
    return re.sub(r"[（(].*?[)）]|[:：\s]", "", cell).lower()


def columns(cells: Sequence[str]) -> dict[str, int]:
    """Which column holds what, where the cells are headings of a table of parts."""
    found: dict[str, int] = {}
    known = words()
    for index, cell in enumerate(cells):
        plain = _plain(cell)
        for kind in ("subtotal", "unit_price", "quantity", "item"):
            if kind not in found and plain and plain in getattr(known, kind):
                found[kind] = index
                break
    return found


def _detects(sheet: Sheet) -> Iterable[Spot]:
    end = -1
    for index in sheet.at_any(_MARKS):
        text = sheet.lines[index].text
        if index <= end or not 3 < len(text) < 600:
            continue
        cells = split(sheet.lines[index])
        found = columns(cells) if 2 <= len(cells) <= 20 else {}
        if "item" not in found or not {"unit_price", "subtotal"} & set(found):
            continue
        end = _last(sheet, index, len(cells))
        if end > index:
            yield Spot(index, end)


def _last(sheet: Sheet, first: int, width: int) -> int:
    last = first
    for line in sheet.lines[first + 1 : first + 1 + ROWS_MAX]:
        cells = split(line)
        if line.edge or (not _RULE.match(line.text) and not _is_row(cells, width)):
            break
        last = line.index
    return last


def _is_row(cells: Sequence[str], width: int) -> bool:
    filled = [one for one in cells if one]
    amounts = [one for one in filled if amount(one) is not None]
    return bool(amounts) and (len(cells) == width or (2 <= len(filled) <= width + 1)) and len(filled) > len(amounts) - 1


@lru_cache(maxsize=4096)
def amount(cell: str) -> tuple[float, str | None] | None:
    """(value, currency) of a cell; None where it is no amount."""
    match = _AMOUNT.match(cell.strip(" *~约"))
    if match is None:
        return None
    value = number(re.sub(r"[,，\s]", "", match["value"]))
    if value is None:
        return None
    sign = (match["before"] or match["after"] or "").lower()
    times = {"万": 10_000, "萬": 10_000, "k": 1_000}.get((match["many"] or "").lower(), 1)
    return value * times, words().currencies.get(sign)


def _read(block: Block) -> Read:
    headings = split(block.lines[0])
    found = columns(headings)
    currency = next(
        (code for cell in headings for sign, code in words().currencies.items() if sign in cell.lower()), None
    )
    facts: list[Fact] = []
    unread: list[Unread] = []
    place, total, items = 0, frozenset(words().total), _kinds(headings)
    for line in block.lines[1:]:
        cells = split(line)
        if _RULE.match(line.text) or not any(cells):
            continue
        place += 1
        if any(_plain(cell) in total for cell in cells):
            sums = [said for cell in cells if (said := amount(cell)) is not None]
            facts += stated({"total_price": sums[-1][0]} if sums else {}, line)
            currency = currency or next((code for _, code in sums if code), None)
        elif len(cells) < max(found.values()) + 1:
            unread.append(Unread(line.number, line.text.strip()[:240]))
        else:
            facts += _row(cells, found, items, line, f"row {place}")
            currency = currency or next((said[1] for cell in cells if (said := amount(cell)) and said[1]), None)
    if currency:
        facts = [*stated({"currency": currency}, block.lines[0]), *facts]
    return Read(tuple(facts), tuple(unread))


def _kinds(headings: Sequence[str]) -> list[int]:
    """Columns that say together what a row is: part, model, specification."""
    return [place for place, one in enumerate(headings) if "item" in columns([one])]


def _row(cells: Sequence[str], found: dict[str, int], items: Sequence[int], line: Line, of: str) -> Iterator[Fact]:
    yield from stated(
        {"item": " ".join(cells[one] for one in items if one < len(cells) and cells[one])[:200]}, line, of
    )
    if "quantity" in found and (match := _COUNT.match(cells[found["quantity"]])):
        yield from stated({"quantity": float(match[1])}, line, of)
    for name in ("unit_price", "subtotal"):
        if name in found and (said := amount(cells[found[name]])) is not None:
            yield from stated({name: said[0]}, line, of)


FORMAT = Format("parts_table", "quotation", (), _detects, _read, weight=1)

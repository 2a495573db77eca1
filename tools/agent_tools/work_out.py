"""`work_out`: arithmetic over figures that have a source, and the details of an earlier result."""

import re
from collections.abc import Sequence
from typing import Any

from pydantic import Field

from kb.base import BadInput
from kb.lexicon.count.rules import numbers
from kb.lexicon.text import fold
from kb.market.rates import convert, rate, rates
from tools.agent_tools.alike import Origin, origin, spreads
from tools.agent_tools.amounts import AMOUNT, PER, PER_UNITS, amount, time_power, told
from tools.agent_tools.asked import AgentRequest
from tools.agent_tools.calculation import as_share, assumed_in, ends, evaluate
from tools.agent_tools.desk import Desk
from tools.agent_tools.quantity import base_of
from tools.agent_tools.ranged import Ends, middle, parted
from tools.agent_tools.shown import shown, with_unit

REFERENCE = re.compile(r"\{?\{?\s*(R\d{1,4})\.?([\w.\[\]%/+:()-]*)\s*(?:\|[^}]*)?\}?\}?", re.I)
PART = re.compile(r"[A-Za-z_][\w%/+:()-]*|\d+")
RANGE = re.compile(r"\(([^()–]+)–([^()–]+)\)")
NAME = re.compile(r"[^\W\d]\w*")
UNITLESS = frozenset({"none", "1", "x"})
"""What is asked for where the value has no unit; one that it has all the same is told."""
NEVER_ASSUMED = frozenset({*rates(), "tokens/s"})
Value = tuple[float, str, str, str]
"""A figure in its base unit, as it was said, that unit, and where it is from."""
SAME = 0.02
"""How near a ratio has to be to one or two: rounding up and down are let through."""
TELLING_DIGITS = 3
"""Digits of a figure without a unit from which it is hardly another one by chance."""
VALUES_MAX, COUNT_MAX = 16, 16
"""Named values of a calculation; and a bare number up to which it only counts something."""


class WorkOutRequest(AgentRequest):
    """A calculation, or a look into an earlier result."""

    expression: str | None = Field(default=None, max_length=400)
    """Over named values: "weights / cards + cache"; base units."""
    values: dict[str, Any] = Field(default_factory=dict, max_length=VALUES_MAX)
    """Each a reference ("R2.ways[0].memory.needed_per_gpu"), the person's figure ("$0.12"), or one you assume: no
    price, no speed."""
    unit: str | None = Field(default=None, max_length=20)
    """GiB, GB, s, h, days, W, kWh, USD, tokens/s, % or none."""
    of: str | None = Field(default=None, max_length=12)
    """Or: key of a result whose details are wanted, "R2"."""
    path: str | None = Field(default=None, max_length=120)
    """And where in it: "derivation", "ways[1]", "sources"."""


def work_out(request: WorkOutRequest, desk: Desk) -> dict[str, Any]:
    """Calculates with figures of results and of the person; or shows details of an earlier result."""
    if request.of:
        return _details(request.of, request.path, desk)
    if not request.expression:
        raise BadInput("expression", "is empty.", "Write one, or name a result in `of`.")
    read = {name: _read(name, value, desk) for name, value in request.values.items()}
    ranges = {name: held for name, value in request.values.items() if (held := _range(value, desk))}
    read, rate_note = _one_currency(read, (request.unit or "").partition("/")[0].strip().upper())
    asked = _asked_unit(request.unit, read)
    expression = as_share(request.expression) if asked == "%" else request.expression

    def of_person(figure: float) -> bool:
        return any(_says(text, (figure,), re.compile(rf"(?<![\d.]){figure:.15g}(?![\d.])")) for text in desk.words)

    figures = {name: one[0] for name, one in read.items()}
    value = evaluate(expression, figures, of_person)
    steps = NAME.sub(lambda name: read[name[0]][1] if name[0] in read else name[0], expression)
    unit = asked or _unit_of(expression, read)
    _agrees_in_time(expression, read, asked)
    if not asked and unit in rates() and _power(expression, read) == -1:
        unit += next((f"/{PER_UNITS.get(per, per)}" for per in _times(read)), "/h")
    assumed = [f"{name} = {one[1]}" for name, one in read.items() if one[3] == "assumed"]
    assumed += assumed_in(expression, of_person)

    def written(figure: float) -> str:
        return told(figure, unit) if asked or unit.partition("/")[0] in rates() else with_unit(figure, unit)

    origins = {name: _origin(value, read[name], desk) for name, value in request.values.items() if name in ranges}
    said, within = written(value), ends(expression, figures, spreads(ranges, origins), of_person)
    if within and within[0] < within[1]:
        shared = re.sub(r"^[\d.,]+", "", said)  # "7.69 s (4.52–13)", as results write it
        said += f" ({'–'.join(written(end).removesuffix(shared) for end in within)})"
    return {
        "value": said, "steps": f"{steps} = {said}",
        "from": {name: one[3] for name, one in read.items()}, **({"assumed": assumed} if assumed else {}),
        **({"rate": rate_note} if rate_note else {}),
    }  # fmt: skip


def _asked_unit(unit: str | None, read: dict[str, Value]) -> str:
    """The unit that is asked for; of sums that are all paid by one time, the currency alone means so much a time."""
    asked = "" if (unit or "").strip().lower() in UNITLESS else (unit or "").strip()
    if asked.upper() in rates():
        asked = asked.upper()
        money = [one for one in read.values() if one[2] in rates()]
        if money and len(money) == len(_times(read)) == len(read) and len(set(_times(read))) == 1:
            return f"{asked}/{PER_UNITS.get(_times(read)[0], _times(read)[0])}"
    return asked


def _read_before(_: float) -> bool:
    """Of an expression that was evaluated once every figure has its source."""
    return True


def _one_currency(read: dict[str, Value], unit: str) -> tuple[dict[str, Value], str]:
    """The values with all money in one currency: that of the unit, else of the first that is money."""
    held = [one[2] for one in read.values() if one[2] in rates()]
    to = unit if unit in rates() else held[0] if held else ""
    others = sorted({one for one in held if one != to})
    if not others:
        return read, ""
    changed = {
        name: (float(convert(one[0], one[2], to)), one[1], to, one[3]) if one[2] in others else one
        for name, one in read.items()
    }
    told = [f"1 {one} = {float(convert(1, one, to)):.4g} {to} ({rate(to).as_of or rate(one).as_of})" for one in others]
    return changed, "; ".join(told)


def _range(value: Any, desk: Desk) -> tuple[float, float] | None:
    """(low / value, high / value) of a figure with its range, "195 (115–332)"; None where it has none."""
    said = str(value).strip()
    match = REFERENCE.fullmatch(said)
    found = _referred(match, desk)[1] if match else said
    if isinstance(found, str) and (pair := parted(found)) is not None:
        low, high = (amount("values", each)[0] for each in pair)
        return low / middle(low, high), high / middle(low, high)
    if not isinstance(found, str) or (ends_said := RANGE.search(found)) is None:
        return None
    middle_said = found.split(" (")[0]
    whole = AMOUNT.match(middle_said)
    unit = (whole["unit"] or "") if whole else ""
    try:
        value_, low, high = (
            amount("values", each)[0] for each in (middle_said, *(_united(end, unit) for end in ends_said.groups()))
        )
    except BadInput:
        return None
    return (low / value_, high / value_) if value_ and low <= value_ <= high else None


def _origin(value: Any, read: Value, desk: Desk) -> Origin | None:
    """Where an estimate with a range is from; null of what is none."""
    match = REFERENCE.fullmatch(str(value).strip())
    path, key = (match[2], match[1]) if match else ("", "")
    return origin(read[1], path, read[2], key, desk.ledger)


def _united(end: str, unit: str) -> str:
    """An end of a range with the unit of its middle, where it has none of its own."""
    match = AMOUNT.match(end)
    return end if match is None or match["unit"] else f"{end.strip()} {unit}"


def _referred(match: re.Match[str], desk: Desk) -> tuple[str, Any]:
    """(key, what stands there) of a reference to part of a result.

    Raises:
        BadInput: there is no such result.
    """
    one = desk.ledger.find(match[1])
    if one is None:
        raise BadInput("values", f"refers to {match[1]}, which is no result.", "Use a key that a result carries.")
    found: Any = one.shown
    for part in PART.findall(match[2]):
        found = found.get(part) if isinstance(found, dict) else _at(found, part)
    return match[1].upper(), found


def _read(name: str, value: Any, desk: Desk) -> Value:
    """A value in its base unit, as it was said, its base unit, and where it is from."""
    said = str(value).strip()
    match = REFERENCE.fullmatch(said)
    if match:
        key, found = _referred(match, desk)
        if isinstance(found, bool) or not isinstance(found, str | int | float):
            raise BadInput(
                "values",
                f"{said} is not one figure.",
                "Give the path to one, e.g. R1.ways[0].speed.tokens_per_s_total.",
            )
        if (pair := parted(str(found))) is not None:
            number, unit = _between(name, pair)
            return number, str(found), unit, key
        number, unit = amount("values", str(found).split(" (")[0])
        return number, str(found).split(" (")[0], unit, key
    if (pair := parted(said)) is not None:
        return _read_range(name, said, pair, desk)
    number, unit = amount(name, said)
    written = (AMOUNT.match(said) or {"digits": "", "unit": ""})["digits"].replace(",", "")
    alone = re.compile(rf"(?<![\d.]){re.escape(written)}(?![\d.])") if written else None
    plainly = [one.value for one in numbers(fold(said).lower(), articles=False)]
    if any(_says(text, (number, float(written or 0), *plainly), alone) for text in desk.words):
        return number, said, unit, "the person"
    if not unit and number == int(number) and number <= COUNT_MAX:
        return number, said, unit, "a count"
    if any(_holds(str(one.shown).replace(",", ""), written, unit) for one in desk.ledger.all):
        return number, said, unit, "a result"
    if unit in NEVER_ASSUMED:
        raise BadInput(
            "values",
            f"assumes {name} = {said}.",
            "A price or a speed comes from a result or from the person: look it up; of a part or a multiple of theirs, "
            "give theirs and write the expression (bill / 2).",
        )
    return number, said, unit, "assumed"


def _between(name: str, pair: Ends) -> tuple[float, str]:
    """The middle of a range in its base unit, and that unit."""
    (low, unit), (high, _) = (amount(name, each) for each in pair)
    return middle(low, high), unit


def _read_range(name: str, said: str, pair: Ends, desk: Desk) -> Value:
    """A range that was written out: a result's, the person's, or assumed.

    Raises:
        BadInput: a price or a speed that nobody gave.
    """
    number, unit = _between(name, pair)
    if any(said in str(one.shown) for one in desk.ledger.all):
        return number, said, unit, "a result"
    sources = {_read(name, end, desk)[3] for end in pair}
    return number, said, unit, sources.pop() if len(sources) == 1 else "assumed"


def _says(text: str, values: Sequence[float], alone: re.Pattern[str] | None) -> bool:
    """Whether a text holds a number, in digits or as people write it: 「5万」 is 50,000, "twelve" is 12."""
    if alone and alone.search(text.replace(",", "")):
        return True
    said = [one.value for one in numbers(fold(text).lower())]
    return any(abs(one - value) <= 1e-9 * abs(value) for one in said for value in values if value)


def _holds(shown: str, written: str, unit: str) -> bool:
    """Whether a result shows this very figure: with its unit, or, where it has none, with digits enough to tell it."""
    if not unit and len(written.replace(".", "").strip("0")) < TELLING_DIGITS:
        return False
    alone = re.compile(rf"(?<![\d.]){re.escape(written)}(?![\d.])(?:\s?\([^)]*\))?\s?([^,;'\")]{{0,24}})")
    return any(not unit or unit in rates() or unit in _units_before(found) for found in alone.findall(shown))


def _units_before(said: str) -> set[str]:
    """Base units that the words behind a figure may be: of "tokens a second, 4 h" those of each of its beginnings."""
    words = said.split()
    return {base_of(" ".join(words[:count]))[0] for count in range(1, 4)} if words else {""}


def _at(found: Any, part: str) -> Any:
    return found[int(part)] if isinstance(found, list) and part.isdigit() and int(part) < len(found) else None


def _unit_of(expression: str, read: dict[str, Value]) -> str:
    """The unit of the value, by what becomes of it when all figures of a unit are doubled; none where it is a ratio."""
    values = {name: one[0] for name, one in read.items()}
    plain_value = evaluate(expression, values, _read_before)
    found: list[str] = []
    for unit in sorted({one[2] for one in read.values() if one[2]}):
        doubled = {name: one[0] * (2 if one[2] == unit else 1) for name, one in read.items()}
        ratio = evaluate(expression, doubled, _read_before) / plain_value if plain_value else 0.0
        if abs(ratio - 1) < SAME or (unit == "s" and abs(ratio - 0.5) < SAME and found and found[0] in rates()):
            continue  # money over a time is money, by the hour
        found.append(unit if abs(ratio - 2) < SAME else "")
    return found[0] if len(found) == 1 else ""


def _agrees_in_time(expression: str, read: dict[str, Value], asked: str) -> None:
    """That a rent an hour is not told as a sum, nor a sum as a rent: by what becomes of it when every time doubles.

    Raises:
        BadInput: the unit asked for is a rate and the value is none, or the other way round.
    """
    expected = time_power(asked, asked)
    if expected is None or not asked:
        return
    power = _power(expression, read)
    if power is not None and power != expected:
        is_a = {-1: "an amount a time, as $/h is", 0: "no time and no rate", 1: "a time"}.get(power, "a time squared")
        raise BadInput(
            "unit",
            f"is {asked}, and the value is {is_a}.",
            "Give each time and rate among the values its unit, e.g. 75 h, 24 frames/s; or ask for USD/month …",
        )


def _power(expression: str, read: dict[str, Value]) -> int | None:
    """How often time is in the value of an expression; None where it cannot be told, as of a sum of unlike things."""
    scaled = {name: one[0] * 2.0 ** (time_power(one[1], one[2]) or 0) for name, one in read.items()}
    before = evaluate(expression, {name: one[0] for name, one in read.items()}, _read_before)
    ratio = evaluate(expression, scaled, _read_before) / before if before else 0.0
    return next((power for power in (-2, -1, 0, 1, 2) if abs(ratio / 2.0**power - 1) < SAME), None)


def _times(read: dict[str, Value]) -> list[str]:
    """The times that the rents and rates among the values are said by, in order."""
    found = [PER.search(one[1]) for one in read.values() if one[2] in rates()]
    return [match[1].lower() for match in found if match and match[1].lower() != "kwh"]


def _details(key: str, path: str | None, desk: Desk) -> dict[str, Any]:
    """Part of an earlier result, whole."""
    one = desk.ledger.find(key)
    if one is None:
        raise BadInput(
            "of",
            f"is “{key}”, which is no result.",
            f"There are {', '.join(each.key for each in desk.ledger.all[-8:]) or 'none yet'}.",
        )
    roots: list[Any] = [*(each.result for each in one.worked), one.shown]
    for root in roots:
        found: Any = root
        for part in PART.findall(path or ""):
            found = found.get(part) if isinstance(found, dict) else _at(found, part)
        if found not in (None, [], {}) and found is not root:
            return {"of": one.key, "tool": one.tool, "request": one.request, "path": path, "details": _detailed(found)}
    known = sorted({name for root in roots for name in root})
    raise BadInput("path", f"leads nowhere in {one.key}.", f"Paths begin with {', '.join(known[:20])}.")


def _detailed(found: Any) -> Any:
    """A part with its figures written out; a derivation by its steps."""
    if isinstance(found, list) and found and isinstance(found[0], dict) and "formula" in found[0]:
        return [f"{one['label']}: {one['formula']} = {_step(one['value'], one['unit'])}" for one in found]
    return shown(found) if isinstance(found, dict | list) else found


def _step(value: Any, unit: str) -> str:
    return with_unit(value, unit) if isinstance(value, int | float) else str(value)

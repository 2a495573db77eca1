"""The closed language that rules are written in: names, numbers, text, comparisons, arithmetic and a few functions.

A name that nothing states makes the whole condition unmet, so that no rule fires on what was not said; `x or 1` and
`given(x)` take what is missing as it is.
"""

import ast
import math
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Protocol

UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}
DIVISOR_MAX = 65_536
"""Largest divisor that is looked for; more than any layout has ranks."""
_AMOUNT = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]i?)?b?\s*", re.IGNORECASE)
_BINARY = re.compile(r"[kmgt]b?", re.IGNORECASE)


class Names(Protocol):
    """What gives names their values."""

    def value(self, name: str) -> Any:
        """Of a name, or of `space.name`; None where nothing states it."""


class Unmet(Exception):
    """Something the condition rests on is not stated."""


def tokens(value: Any) -> int:
    """`32k` → 32,000 and `32K` → 32,768, as vLLM reads them; a number as it is."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return int(value)
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([kKmMgG])", str(value))
    if found is None:
        raise Unmet(str(value))
    base = 1000 if found[2].islower() else 1024
    return int(float(found[1]) * base ** ("kmg".index(found[2].lower()) + 1))


def size(value: Any) -> float:
    """Bytes of `16g` (as Docker reads it, binary), `8Gi`, `64MB`, or a number."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    found = _AMOUNT.fullmatch(str(value))
    if found is None:
        raise Unmet(str(value))
    unit = (found[2] or "").lower()
    return float(found[1]) * (UNITS[f"{unit}i"] if len(unit) == 1 else UNITS[unit])


def listed(value: Any) -> list[str]:
    """The parts of `0,1,3`."""
    return [one.strip() for one in str(value).split(",") if one.strip()]


def release(value: Any) -> tuple[int, ...]:
    """`v0.11.0` → (0, 11, 0)."""
    found = re.search(r"\d+(?:\.\d+)+", str(value))
    if found is None:
        raise Unmet(str(value))
    return tuple(int(part) for part in found[0].split("."))


def dividing(number: Any, most: Any) -> int:
    """The largest divisor of `number` that is no more than `most`, nor than any number of cards: both are pasted."""
    limit = min(int(max(most, 1)), int(number), DIVISOR_MAX)
    return next(one for one in range(max(limit, 1), 0, -1) if int(number) % one == 0)


def power_below(number: Any) -> int:
    """The largest power of two that is no more than `number`."""
    return int(2 ** math.floor(math.log2(max(float(number), 1))))


def among(value: Any, *choices: Any) -> bool:
    """Whether the value is one of them, letters alike."""
    return str(value).lower() in {str(one).lower() for one in choices}


def has(value: Any, *parts: Any) -> bool:
    """Whether the text holds one of the parts, letters alike."""
    return any(str(one).lower() in str(value).lower() for one in parts)


def repeats(value: Any) -> bool:
    """Whether a list holds something twice."""
    return len(listed(value)) != len(set(listed(value)))


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "tokens": tokens, "size": size, "count": lambda value: len(listed(value)), "listed": listed, "release": release,
    "dividing": dividing, "power_below": power_below, "among": among, "has": has, "repeats": repeats, "min": min,
    "max": max, "abs": abs, "round": round, "int": int, "float": float, "text": str, "len": len,
    "ceil": math.ceil, "floor": math.floor, "is_text": lambda value: isinstance(value, str),
    "is_number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "is_whole": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "begins": lambda value, *parts: str(value).lower().startswith(tuple(str(one).lower() for one in parts)),
    "ends": lambda value, *parts: str(value).lower().endswith(tuple(str(one).lower() for one in parts)),
    "like": lambda value, pattern: re.search(pattern, str(value), re.IGNORECASE) is not None,
}  # fmt: skip
_COMPARED: Mapping[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: lambda a, b: bool(a == b), ast.NotEq: lambda a, b: bool(a != b), ast.Lt: lambda a, b: bool(a < b),
    ast.LtE: lambda a, b: bool(a <= b), ast.Gt: lambda a, b: bool(a > b), ast.GtE: lambda a, b: bool(a >= b),
    ast.In: lambda a, b: a in b, ast.NotIn: lambda a, b: a not in b,
}  # fmt: skip


def _number(value: Any) -> Any:
    """A number as it is: a text times a number would be as long as whoever pasted them likes."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Unmet(str(value)[:40])
    return value


_REACHED: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b, ast.Sub: lambda a, b: a - b, ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b, ast.FloorDiv: lambda a, b: a // b, ast.Mod: lambda a, b: a % b,
}  # fmt: skip


@lru_cache(maxsize=4096)
def tree(text: str) -> ast.expr:
    """The expression of a text.

    Raises:
        SyntaxError: it is none, or holds what the language does not have.
    """
    found = ast.parse(text.strip(), mode="eval").body
    for node in ast.walk(found):
        if isinstance(node, ast.Call) and (
            node.keywords or getattr(node.func, "id", None) not in {*FUNCTIONS, *_TAKING}
        ):
            raise SyntaxError(text)
        if not isinstance(node, _KNOWN):
            raise SyntaxError(f"{type(node).__name__} in {text}")
    return found


_TAKING = ("given", "missing", "on")
"""Functions that take what is missing as it is."""
_KNOWN = (
    ast.BoolOp, ast.And, ast.Or, ast.UnaryOp, ast.Not, ast.USub, ast.BinOp, ast.operator, ast.Compare, ast.cmpop,
    ast.Call, ast.Name, ast.Attribute, ast.Constant, ast.Load, ast.IfExp, ast.Tuple,
)  # fmt: skip


def holds(text: str, names: Names) -> bool:
    """Whether a condition is met; False where something it rests on is not stated."""
    try:
        return bool(_value(tree(text), names))
    except (Unmet, TypeError, ValueError, ZeroDivisionError, OverflowError, KeyError, IndexError):
        return False


def worked_out(text: str, names: Names) -> Any:
    """The value of an expression; None where something it rests on is not stated."""
    try:
        return _value(tree(text), names)
    except (Unmet, TypeError, ValueError, ZeroDivisionError, OverflowError, KeyError, IndexError):
        return None


def _value(node: ast.expr, names: Names) -> Any:
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name | ast.Attribute):
        return names.value(_dotted(node))
    if isinstance(node, ast.BoolOp):
        return _either(node, names)
    if isinstance(node, ast.UnaryOp):
        inner = _value(node.operand, names)
        return not inner if isinstance(node.op, ast.Not) else -inner
    if isinstance(node, ast.BinOp):
        left, right = _stated(node.left, names), _stated(node.right, names)
        if isinstance(node.op, ast.Add) and isinstance(left, str) and isinstance(right, str):
            return left + right
        return _REACHED[type(node.op)](_number(left), _number(right))
    if isinstance(node, ast.Compare):
        return _compared(node, names)
    if isinstance(node, ast.IfExp):
        return _value(node.body if _value(node.test, names) else node.orelse, names)
    if isinstance(node, ast.Tuple):
        return tuple(_value(one, names) for one in node.elts)
    return _called(node, names)  # type: ignore[arg-type]


def _dotted(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else f"{_dotted(node.value)}.{node.attr}"  # type: ignore[attr-defined]


def _stated(node: ast.expr, names: Names) -> Any:
    value = _value(node, names)
    if value is None:
        raise Unmet(ast.unparse(node))
    return value


def _either(node: ast.BoolOp, names: Names) -> Any:
    value: Any = None
    for one in node.values:
        try:
            value = _value(one, names)
        except Unmet:
            if isinstance(node.op, ast.And):
                raise
            value = None
        if bool(value) == isinstance(node.op, ast.Or):
            return value
    return value


def _compared(node: ast.Compare, names: Names) -> bool:
    left = _stated(node.left, names)
    for operator, right_node in zip(node.ops, node.comparators, strict=True):
        right = _stated(right_node, names)
        if not _COMPARED[type(operator)](left, right):
            return False
        left = right
    return True


def _called(node: ast.Call, names: Names) -> Any:
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    if name == "given":
        return all(_value(one, names) is not None for one in node.args)
    if name == "missing":
        return all(_value(one, names) is None for one in node.args)
    if name == "on":
        return all(_value(one, names) not in (None, False, 0, "0", "no", "off", "none", "false") for one in node.args)
    return FUNCTIONS[name](*(_stated(one, names) for one in node.args))

"""Arithmetic over figures of results and of the person: which figures went in is known, and told."""

import ast
import math
import operator
from collections.abc import Callable, Mapping
from itertools import product

from kb.base import BadInput
from tools.agent_tools.alike import Spread

OPERATORS: Mapping[type[ast.AST], Callable[..., float]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.USub: operator.neg, ast.UAdd: operator.pos,
}  # fmt: skip
FUNCTIONS: Mapping[str, Callable[..., float]] = {
    "ceil": math.ceil, "floor": math.floor, "round": round, "min": min, "max": max, "abs": abs, "sqrt": math.sqrt,
    "log2": math.log2,
}  # fmt: skip
CONSTANTS = frozenset({12, 24, 30, 31, 52, 60, 100, 365, 730, 1000, 3600, 8760, 86400, 10**4, 10**6, 10**9, 0.5})
"""Literals that convert or count; any other figure has to be named and have a source."""
SHARE_MOST = 2.0
"""Below which a bare figure is a share or a surcharge, 0.95 or 1.2: assumed, which `assumed_in` tells."""
SMALL_MAX, EXPRESSION_MAX, POWER_MAX, RANGES_MAX = 10, 400, 64, 5


Sourced = Callable[[float], bool]
"""Whether a figure that stands in the expression itself has a source."""


def evaluate(expression: str, values: Mapping[str, float], sourced: Sourced | None = None) -> float:
    """The value of an expression over named values: `weights / cards + cache`.

    `sourced` tells which bare figures beside small and converting ones may stand in it, those of the person for
    instance; none by default.

    Raises:
        BadInput: it does not parse, holds a name without a value, a literal without a source, or divides by nothing.
    """
    if len(expression) > EXPRESSION_MAX:
        raise BadInput("expression", f"is longer than {EXPRESSION_MAX} characters.", "Work it out in two steps.")
    try:
        tree = ast.parse(expression.replace("×", "*").replace("÷", "/").replace("^", "**"), mode="eval")
        value = _value(tree.body, values, sourced)
    except (SyntaxError, RecursionError, MemoryError):
        raise BadInput("expression", "does not parse.", "Write e.g. `weights / cards + cache`.") from None
    except ZeroDivisionError:
        raise BadInput("expression", "divides by zero.", "Check the values.") from None
    except (OverflowError, ValueError, TypeError):
        raise BadInput("expression", "has no value.", "Check the values and functions.") from None
    if not math.isfinite(value):
        raise BadInput("expression", "has no finite value.", "Check the values.")
    return value


def assumed_in(expression: str, sourced: Sourced) -> list[str]:
    """Bare shares of an expression that nobody gave, and that convert nothing."""
    tree = ast.parse(expression.replace("×", "*").replace("÷", "/").replace("^", "**"), mode="eval")
    bare = [one.value for one in ast.walk(tree) if isinstance(one, ast.Constant) and isinstance(one.value, float)]
    return [f"{one:g}" for one in bare if one != int(one) and one not in CONSTANTS and not sourced(one)]


def as_share(expression: str) -> str:
    """What is multiplied by a hundred, of `part / whole * 100`: who asks for percent means the share."""
    try:
        body = ast.parse(expression.replace("×", "*").replace("÷", "/").replace("^", "**"), mode="eval").body
    except (SyntaxError, RecursionError, MemoryError):
        return expression
    if isinstance(body, ast.BinOp) and isinstance(body.op, ast.Mult):
        sides = ((body.left, body.right), (body.right, body.left))
        for one, other in sides:
            if isinstance(one, ast.Constant) and one.value == 100:
                return ast.unparse(other)
    return expression


def ends(
    expression: str, values: Mapping[str, float], spreads: Mapping[str, Spread], sourced: Sourced | None
) -> tuple[float, float] | None:
    """(least, most) of an expression whose values lie within shares of themselves: what estimates share moves all of
    them at once, rates up as times go down; the rest each by itself.

    None where no value has any, where more have one than are tried, and where an end has no value.
    """
    names = [name for name in spreads if name in values]
    if not names or len(names) > RANGES_MAX:
        return None
    found = []
    for together, *corner in product((0, 1), repeat=len(names) + 1):
        moved = {name: values[name] * _moved(spreads[name], end, together)
                 for name, end in zip(names, corner, strict=True)}  # fmt: skip
        try:
            found.append(evaluate(expression, {**values, **moved}, sourced))
        except BadInput:
            return None
    return min(found), max(found)


def _moved(spread: Spread, end: int, together: int) -> float:
    return spread.own[end] * spread.shared[together if spread.rate else 1 - together]


def _value(node: ast.AST, values: Mapping[str, float], sourced: Sourced | None) -> float:
    if isinstance(node, ast.Constant):
        return _literal(node.value, sourced)
    if isinstance(node, ast.Name):
        if node.id not in values:
            raise BadInput(
                "expression", f"holds `{node.id}`, which has no value.", f"Give it in values: {list(values)}."
            )
        return values[node.id]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        base, power = _value(node.left, values, sourced), _value(node.right, values, sourced)
        if abs(power) > POWER_MAX:
            raise BadInput("expression", f"raises to a power above {POWER_MAX}.", "Check it.")
        return float(base**power)
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        return float(OPERATORS[type(node.op)](_value(node.left, values, sourced), _value(node.right, values, sourced)))
    if isinstance(node, ast.UnaryOp) and type(node.op) in OPERATORS:
        return float(OPERATORS[type(node.op)](_value(node.operand, values, sourced)))
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in FUNCTIONS
        and not node.keywords
    ):
        return float(FUNCTIONS[node.func.id](*(_value(one, values, sourced) for one in node.args)))
    raise BadInput(
        "expression", "holds something that is no arithmetic.", f"Use + - * / ** and {', '.join(FUNCTIONS)}."
    )


def _literal(value: object, sourced: Sourced | None) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadInput("expression", "holds something that is no number.", "Use numbers and names.")
    power = value == int(value) and value > 0 and int(value) & (int(value) - 1) == 0
    if (value == int(value) and 0 <= value <= SMALL_MAX) or value in CONSTANTS or power:
        return float(value)
    if sourced is not None and (sourced(float(value)) or 0 < value < SHARE_MOST):
        return float(value)
    raise BadInput(
        "expression", f"holds the bare figure {value:g}.",
        "Name it in values: a reference (R2.ways[0].speed.tokens_per_s_total), the person's figure, an assumption.",
    )  # fmt: skip

"""Faults of one operator each in a module's code: where one can be made, and the code with it."""

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass

FLIPPED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Div, ast.Mod: ast.Mult,
}  # fmt: skip
SWAPPED = {"min": "max", "max": "min", "any": "all", "all": "any", "floor": "ceil", "ceil": "floor"}
TEXT = (ast.JoinedStr, ast.List, ast.Tuple, ast.ListComp, ast.Dict, ast.Set)


@dataclass(frozen=True)
class Fault:
    """One deliberate mistake."""

    file: str
    line: int
    within: str
    """The function, or "" for a constant of the module."""
    kind: str
    place: int
    """Which of the file's places for such faults."""
    before: str
    after: str

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What it is, wherever the line moves."""
        return self.file, self.within, self.before, self.after


def faults(file: str, text: str) -> list[tuple[Fault, str]]:
    """Every fault of a module, with the whole code that has it."""
    tree = ast.parse(text)
    found = []
    for place, (node, within) in enumerate(_nodes(tree)):
        for kind, changed in _changes(node):
            # The node is exchanged in a copy of the tree, found again by its place in the same walk.
            twin = copy.deepcopy(tree)
            target = next(one for number, (one, _) in enumerate(_nodes(twin)) if number == place)
            _exchange(twin, target, changed)
            before, after = _said(node), _said(changed)
            made = Fault(file, getattr(node, "lineno", 0), within, kind, place, before, after)
            found.append((made, ast.unparse(ast.fix_missing_locations(twin))))
    return found


def _nodes(tree: ast.Module) -> Iterator[tuple[ast.AST, str]]:
    """Expressions that are evaluated when the code runs, with the function each is in; no annotations, no decorators.

    Fields of requests and results are declarations, whose bounds other tests try.
    """
    for one in tree.body:
        if isinstance(one, ast.FunctionDef):
            yield from _within(one, one.name)
        elif isinstance(one, ast.ClassDef):
            for part in one.body:
                if isinstance(part, ast.FunctionDef):
                    yield from _within(part, f"{one.name}.{part.name}")
        elif isinstance(one, (ast.Assign, ast.AnnAssign)) and one.value is not None:
            yield from ((node, "") for node in ast.walk(one.value))


def _within(function: ast.FunctionDef, name: str) -> Iterator[tuple[ast.AST, str]]:
    yield function, name
    for statement in function.body:
        for node in ast.walk(statement):
            yield node, name


def _changes(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """What a node may be exchanged for."""
    match node:
        case ast.Compare(ops=[operator]) if type(operator) in FLIPPED:
            yield "comparison", _with(node, ops=[FLIPPED[type(operator)]()])
        case ast.BinOp(op=operator) if type(operator) in ARITHMETIC and not _is_text(node):
            yield "arithmetic", _with(node, op=ARITHMETIC[type(operator)]())
        case ast.BoolOp(op=ast.And()):
            yield "and/or", _with(node, op=ast.Or())
        case ast.BoolOp(op=ast.Or()):
            yield "and/or", _with(node, op=ast.And())
        case ast.Constant(value=bool(value)):
            yield "constant", ast.Constant(not value)
        case ast.Constant(value=int(value)):
            yield "constant", ast.Constant(value + 1)
        case ast.Constant(value=float(value)):
            yield "constant", ast.Constant(value * 1.5 if value else 1.0)
        case ast.Call(func=ast.Name(id=name)) if name in SWAPPED:
            yield "swapped", _with(node, func=ast.Name(SWAPPED[name], ast.Load()))
        case ast.Call(func=ast.Attribute(attr=name)) if name in SWAPPED:
            yield "swapped", _with(node, func=_with(node.func, attr=SWAPPED[name]))
        case ast.If() | ast.IfExp() | ast.While():
            yield "negated", _with(node, test=ast.UnaryOp(ast.Not(), node.test))
        case ast.comprehension(ifs=[test, *rest]):
            yield "negated", _with(node, ifs=[ast.UnaryOp(ast.Not(), test), *rest])
        case ast.FunctionDef(body=body) if len(body) > 2:
            yield "returned early", _with(node, body=[ast.Return(ast.Constant(None)), *body])
        case ast.Expr(value=ast.Yield() | ast.YieldFrom() | ast.Call()) | ast.AugAssign():
            yield "left out", ast.Pass()


def _said(node: ast.AST) -> str:
    """What stands there, shortly: of a statement that branches, only what it asks."""
    shown = node.test if isinstance(node, (ast.If, ast.IfExp, ast.While)) else node
    return ast.unparse(shown).partition("\n")[0][:80]


def _with(node: ast.AST, **fields: object) -> ast.AST:
    changed = copy.copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


def _is_text(node: ast.BinOp) -> bool:
    return any(
        isinstance(side, TEXT) or (isinstance(side, ast.Constant) and isinstance(side.value, str))
        for side in (node.left, node.right)
    )


def _exchange(tree: ast.Module, target: ast.AST, changed: ast.AST) -> None:
    for node in ast.walk(tree):
        for name, value in ast.iter_fields(node):
            if value is target:
                setattr(node, name, changed)
                return
            if isinstance(value, list) and any(one is target for one in value):
                setattr(node, name, [changed if one is target else one for one in value])
                return
    raise AssertionError("the node is nowhere in the tree")

"""What the fields of a shape mean, read from the strings beneath them when a schema is shown and not before.

Pydantic reads them as each class is made (`use_attribute_docstrings`): a quarter of the time of a command that shows no
schema at all.
"""

import ast
import inspect
import sys
from functools import lru_cache
from itertools import pairwise

from kb.base import Frozen


@lru_cache(maxsize=512)
def meanings(shape: type) -> dict[str, str]:
    """Field → what it means; a field that a shape says anew keeps the meaning it had unless it gives another."""
    said: dict[str, str] = {}
    for ancestor in reversed(shape.__mro__):
        if issubclass(ancestor, Frozen):
            said |= _of_module(ancestor.__module__).get(ancestor.__qualname__, {})
    return said


@lru_cache(maxsize=512)
def _of_module(name: str) -> dict[str, dict[str, str]]:
    """Class → field → meaning; nothing for a module without a source of its own."""
    try:
        tree = ast.parse(inspect.getsource(sys.modules[name]))
    except (KeyError, OSError, TypeError):
        return {}
    return dict(_classes(tree.body, ""))


def _classes(body: list[ast.stmt], within: str) -> list[tuple[str, dict[str, str]]]:
    found = []
    for statement in body:
        if isinstance(statement, ast.ClassDef):
            name = within + statement.name
            found += [(name, _fields(statement.body)), *_classes(statement.body, f"{name}.")]
    return found


def _fields(body: list[ast.stmt]) -> dict[str, str]:
    """Each annotated name with the string beneath it."""
    return {
        field.target.id: inspect.cleandoc(beneath.value.value)
        for field, beneath in pairwise(body)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(beneath, ast.Expr)
        and isinstance(beneath.value, ast.Constant)
        and isinstance(beneath.value.value, str)
    }

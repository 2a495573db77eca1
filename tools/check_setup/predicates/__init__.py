"""Conditions that no expression can hold: they look at how a set-up is written, or at several units."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from tools.check_setup.predicates import boxes, jobs, models, spelling

if TYPE_CHECKING:
    from tools.check_setup.view import View

NAMED: Mapping[str, Callable[["View"], Any]] = {
    name: getattr(room, name) for room in (boxes, jobs, models, spelling) for name in room.NAMES
}
"""Every predicate by the name that rules use."""

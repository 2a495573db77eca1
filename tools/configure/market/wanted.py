"""Which choices a search wants, by what they are: new or second-hand, in hand or to be had."""

from collections.abc import Callable

from tools.configure.market.choice import Choice
from tools.configure.market.suitable import MAINSTREAM

Wanted = Callable[[Choice], bool]


def anything(_: Choice) -> bool:
    """Whatever there is."""
    return True


def new(choice: Choice) -> bool:
    """Whether it is bought new, or rented."""
    return not choice.owned and not choice.used


def mainstream(choice: Choice) -> bool:
    """Whether it is new and runs CUDA."""
    return new(choice) and choice.gpu.vendor == MAINSTREAM


def used(choice: Choice) -> bool:
    """Whether it is bought second-hand."""
    return not choice.owned and choice.used


def unowned(choice: Choice) -> bool:
    """Whether nothing of it is in hand."""
    return not choice.owned


def owned(choice: Choice) -> bool:
    """Whether some of it is in hand."""
    return choice.owned > 0


def or_owned(wanted: Wanted) -> Wanted:
    """What is wanted, or adds to cards in hand."""
    return _OR_OWNED.get(wanted) or _or_owned(wanted)


def whole(wanted: Wanted) -> Wanted:
    """What is wanted and has a price for every part."""
    return _WHOLE.get(wanted) or _whole(wanted)


def _or_owned(wanted: Wanted) -> Wanted:
    return lambda choice: choice.owned > 0 or wanted(choice)


def _whole(wanted: Wanted) -> Wanted:
    return lambda choice: choice.complete and wanted(choice)


_PLAIN: tuple[Wanted, ...] = (anything, new, mainstream, used, unowned, owned)
_OR_OWNED = {wanted: _or_owned(wanted) for wanted in _PLAIN}
_WHOLE = {wanted: _whole(wanted) for wanted in (*_PLAIN, *_OR_OWNED.values())}
LASTING = frozenset([*_WHOLE, *_WHOLE.values()])
"""Those that say the same of a choice every time, and that every search shares: what they admit may be kept."""

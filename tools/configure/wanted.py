"""Which choices a search wants, by what they are: new or second-hand, in hand or to be had."""

from collections.abc import Callable

from tools.configure.choice import Choice
from tools.configure.suitable import MAINSTREAM

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


def or_owned(wanted: Wanted) -> Wanted:
    """What is wanted, or adds to cards in hand."""
    return lambda choice: choice.owned > 0 or wanted(choice)


def whole(wanted: Wanted) -> Wanted:
    """What is wanted and has a price for every part."""
    return lambda choice: choice.complete and wanted(choice)

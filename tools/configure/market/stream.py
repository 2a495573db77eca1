"""Growing choices of one card: as many as one kind of machine takes, or more and more of one instance."""

from collections.abc import Hashable, Iterable
from decimal import Decimal
from operator import attrgetter

from tools.configure.market.choice import Choice
from tools.configure.market.suitable import scales_out


class Stream:
    """Choices that differ in number alone, in the order they rank, which is that of number, price and power.

    All of them are new or all used, all sure of their price or none, all priced whole or none, all of cards in hand or
    none: what a search wants it wants all of, and beyond a limit there is nothing within it.
    """

    __slots__ = ("choices", "gpu", "linked", "numbers", "steps", "unsure")

    def __init__(self, choices: Iterable[Choice], instance: int = 0) -> None:
        self.choices = tuple(sorted(choices, key=attrgetter("key")))
        first = self.choices[0]
        self.gpu, self.unsure, self.linked = first.gpu, first.unsure, scales_out(first.gpu)
        self.steps: Hashable = (first.gpu.id, instance) if instance else self
        """Equal for streams of the same numbers in the same machines: instances of so many of the card."""
        self.numbers = tuple((one.count, one.count if self.linked else one.cards) for one in self.choices)
        """Cards of each choice, and how many of them at most hold a copy together."""


def grown(choices: Iterable[Choice]) -> list[Stream]:
    """The fewest streams that hold the choices, for a machine of more cards may cost less than one of fewer.

    In the order they rank each goes behind the first stream that it is of one kind with and exceeds.
    """
    found: list[list[Choice]] = []
    for choice in sorted(choices, key=attrgetter("key")):
        place = next((one for one in found if _follows(choice, one[-1])), None)
        if place is None:
            found.append([choice])
        else:
            place.append(choice)
    return [Stream(one) for one in found]


def _follows(choice: Choice, last: Choice) -> bool:
    """Whether it is of one kind with the last of a stream, and no fewer cards for no less money and power."""
    return _kind(choice) == _kind(last) and all(
        more >= less for more, less in zip(_size(choice), _size(last), strict=True)
    )


def _kind(choice: Choice) -> tuple[bool, ...]:
    in_hand = choice.count <= choice.owned
    return choice.used, choice.complete, choice.unsure, choice.aged, choice.amount is None, in_hand


def _size(choice: Choice) -> tuple[Decimal, ...]:
    return Decimal(choice.count), choice.amount or Decimal(0), Decimal(choice.power_w or 0)

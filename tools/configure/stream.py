"""Growing choices of one card: as many as one kind of machine takes, or more and more of one instance."""

from collections.abc import Hashable, Iterable
from operator import attrgetter

from tools.configure.choice import Choice


class Stream:
    """Choices that differ in number alone, in the order they rank, which is that of their prices and power.

    All of them are new or all used, all sure of their rent or none, all of cards in hand or none.
    """

    __slots__ = ("choices", "gpu", "steps", "unsure")

    def __init__(self, choices: Iterable[Choice], instance: int = 0) -> None:
        self.choices = tuple(sorted(choices, key=attrgetter("key")))
        first = self.choices[0]
        self.gpu, self.unsure = first.gpu, first.unsure
        self.steps: Hashable = (first.gpu.id, instance) if instance else self
        """Equal for streams of the same numbers in the same machines: instances of so many of the card."""

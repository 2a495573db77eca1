"""What one turn says by itself, as it is filled: slots with their spans, what is asked, names that are in doubt."""

from dataclasses import dataclass, field, replace
from typing import Any

from assistant.understand.entities import Entities
from assistant.understand.errors import Pasted
from assistant.understand.ownership import Cards
from assistant.understand.text import Found, Text
from assistant.understanding import Ambiguity, Span
from tools.need import Intent


@dataclass
class Reading:
    """What one turn says by itself."""

    text: Text
    entities: Entities
    pasted: Pasted
    cards: Cards
    language: str
    slots: dict[str, Any] = field(default_factory=dict)
    """Need fields stated in this turn."""
    spans: list[Span] = field(default_factory=list)
    weights: dict[Intent, tuple[float, int]] = field(default_factory=dict)
    intent: Intent = "other"
    asks: tuple[Intent, ...] = ()
    out_of_scope: bool = False
    task_said: bool = False
    """Whether words name the task, rather than the rest implying it."""

    def copy(self) -> "Reading":
        """One that may be changed without changing this."""
        return replace(self, slots=dict(self.slots), spans=list(self.spans), weights=dict(self.weights))

    @property
    def ambiguities(self) -> tuple[Ambiguity, ...]:
        """Names that fit several things or none."""
        return self.entities.ambiguities

    def put(self, slot: str, found: Found[Any] | None) -> None:
        """Keep a slot and where it was said."""
        if found is None or found.value is None:
            return
        self.slots[slot] = found.value
        if found.end > found.start:
            self.spans.append(self.text.span(slot, found.start, found.end))

"""From the reading and the tool results to an answer: verdict, configuration, arithmetic, caveats, sources."""

from assistant.compose.answer import compose

__all__ = ["compose"]

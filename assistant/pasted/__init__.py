"""Set-ups that a message holds: checked, and what is wrong told with its line, where no language model reads."""

from assistant.pasted.answer import answered

__all__ = ["answered"]

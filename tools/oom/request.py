"""What one may ask about memory that ran out: the text, and the settings of the memory calculator."""

from pydantic import Field

from tools.memory.request import MemoryRequest


class OomRequest(MemoryRequest):
    """An error text or log, and what was being run. Either alone will do; together they say most."""

    error_text: str | None = Field(default=None, max_length=200_000)
    """The error or log, verbatim; only its first and last 50,000 characters are read."""
    gpu_count: int | None = Field(default=None, gt=0, le=100_000)
    """Cards in the machine, used or not: a fix may spread the work over them."""

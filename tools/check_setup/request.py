"""What is to be checked, and on which machine."""

from typing import Annotated

from pydantic import Field

from kb.base import Frozen
from kb.lexicon.fields import Cards, HostMemoryText

LONGEST = 400_000
"""Characters of one file."""


class SetupRequest(Frozen):
    """A set-up as it was written, and the machine it is for."""

    text: str = Field(min_length=1, max_length=LONGEST)
    """Command, launch script, configuration, manifest or Modelfile, whole; words around it do no harm."""
    name: str | None = Field(default=None, max_length=200)
    """Name of the file, for the findings."""
    beside: tuple[Annotated[str, Field(max_length=LONGEST)], ...] = Field(default=(), max_length=16)
    """Other files it refers to, such as the DeepSpeed configuration of a command, or `config.json` of the model."""
    cards: Cards = ()
    """Cards of one machine; null = as the set-up itself or an nvidia-smi table beside it says."""
    nodes: int | None = Field(default=None, ge=1, le=4096)
    """Machines; null = as the set-up says, else 1."""
    host_memory: HostMemoryText | None = None
    """Memory of the machine."""
    model: str | None = Field(default=None, max_length=200)
    """The model, where the set-up names it by a path or a variable."""

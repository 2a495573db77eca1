"""What one may ask of `what_fits`: cards in hand, as typed or as written, and how they are to be used."""

from typing import Any

from pydantic import Field, model_validator

from kb.base import Frozen
from kb.lexicon import read_cards
from kb.purposes import PurposeName
from kb.units import GIB
from tools.need import GpuCount
from tools.what_fits_result import Method


class WhatFitsRequest(Frozen):
    """Cards in hand, and optionally how they are to be used."""

    gpus: tuple[GpuCount, ...] = Field(default=(), max_length=8)
    """Cards with their counts; unlike ones serve a model by its layers (llama.cpp), and train as so many of the
    smallest."""
    memory_bytes_per_gpu: int | None = Field(default=None, ge=GIB, le=10**13)
    """For a card known only by its memory (binary, as on the box)."""
    gpu_count: int | None = Field(default=None, ge=1, le=4096)
    """How many of those."""
    task: Method | None = None
    """Only this method; null = all."""
    purpose: PurposeName | None = None
    """What a model is wanted for: its models are then tried one by one, besides."""
    models: tuple[str, ...] = Field(default=(), max_length=64)
    """Members of a family: tried one by one, besides."""
    weight_format: str | None = Field(default=None, max_length=40)
    """Only this format."""
    context_tokens: int | None = Field(default=None, gt=0, le=10**8)
    concurrent_sequences: int | None = Field(default=None, gt=0, le=10**6)
    sequence_tokens: int | None = Field(default=None, gt=0, le=10**8)
    micro_batch_size: int | None = Field(default=None, gt=0, le=10**5)
    instances: int | None = Field(default=None, ge=1, le=7 * 4096)
    """How many users, tenants or models are each to have a part of their own (MIG): what an instance holds, besides."""

    @model_validator(mode="before")
    @classmethod
    def _as_written(cls, given: Any) -> Any:
        """Cards as people write and paste them, several in one text too; an instance (MIG) as a card of its memory.

        Raises:
            UnknownName, BadInput: a text that names no cards.
        """
        listed = given.get("gpus") if isinstance(given, dict) else None
        texts = [listed] if isinstance(listed, str) else listed
        if not isinstance(texts, list | tuple) or not all(isinstance(one, str) for one in texts) or not texts:
            return given
        read = [card for text in texts for card in read_cards(text, "gpus")]
        part = next((one for one in read if one.profile or one.gpu is None), None)
        if part is not None:
            alone = {"memory_bytes_per_gpu": part.memory_bytes, "gpu_count": 1 if part.profile else part.count}
            return {**given, "gpus": (), **alone}
        return {**given, "gpus": tuple(GpuCount(gpu=str(one.gpu), count=one.count) for one in read)}

    @model_validator(mode="after")
    def _some_card(self) -> "WhatFitsRequest":
        if not self.gpus and self.memory_bytes_per_gpu is None:
            raise ValueError("give gpus, or memory_bytes_per_gpu")
        return self

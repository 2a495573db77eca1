"""The load of one work: the model's shape, how long and how many sequences are, what was constrained."""

import math
from collections.abc import Iterator
from typing import NamedTuple

from kb.base import BadInput
from kb.constants.speed_constants import constants
from kb.programs.engines import engine_note
from kb.programs.launch import launch_facts
from tools.memory.formats import canonical
from tools.memory.request import MemoryRequest
from tools.memory.shape import Shape, shape_of
from tools.memory.visual import seen
from tools.model_fields import ModelFields
from tools.speed.architecture import Architecture, architecture_of
from tools.ways_to_run.request import Objective, Parallel, WorkFields

ACTIVE_SHARE = 0.2
"""Share of an application's users with a request in flight at a busy moment, when only users are given."""
ROUNDING = 1e-9
SERVED = ("llm", "vlm")
ALONE_PROMPT, SHARED_PROMPT = 512, 1024
"""Prompt that speed is told for where no length was given, of one person and of several."""
ALONE_ANSWER, SHARED_ANSWER = 256, 1024
"""The same of answers."""


class Load(NamedTuple):
    """One work with every open number filled in."""

    fields: dict[str, object]
    """What names the model in requests of other tools."""
    shape: Shape
    arch: Architecture
    native: str
    """Format the model is published in."""
    context: int
    """Tokens of a sequence, pictures included."""
    sequences: int
    prompt: int
    """Tokens of text; pictures come on top."""
    answer: int
    prefix: int
    """Of every prompt, the same in all."""
    cached: int
    """Of every prompt, what an engine with a prefix cache does not read again."""
    images: int
    adapters: int
    lora_rank: int | None
    weight_format: str | None
    kv_format: str | None
    engine: str | None
    parallel: Parallel
    target_rate: float | None
    target_first_s: float | None
    target_answer_s: float | None
    objective: Objective | None
    work: WorkFields
    said: tuple[str, ...]

    @property
    def name(self) -> str:
        """The model in words."""
        return self.shape.name

    @property
    def adapter_slots(self) -> int:
        """Adapters that lie on the cards: no more than requests at once can use, the others in host memory.

        All of them where nobody said how many requests there are.
        """
        return min(self.adapters, self.sequences) if self._requests_said else self.adapters

    @property
    def _requests_said(self) -> bool:
        return bool(self.work.concurrent_sequences or self.work.users)

    @property
    def pace(self) -> float | None:
        """Tokens a second that are wanted: as said, else those that a whole answer takes at least to come in time."""
        return self.target_rate or (self.answer / self.target_answer_s if self.target_answer_s else None)

    @property
    def longest(self) -> int | None:
        """The model's own longest context."""
        return self.shape.max_context


def load_of(work: WorkFields, objective: Objective | None = None) -> Load:
    """Fill in what the work leaves open, and say it.

    Raises:
        UnknownName: no such model.
        BadInput: no model, one that generates no tokens, or lengths that contradict each other.
    """
    given = work.model_dump(include=set(ModelFields.model_fields), exclude_none=True)
    shape = shape_of(MemoryRequest(**given))
    if shape.kind not in SERVED:
        raise BadInput(
            "model", f"{shape.name} is of kind {shape.kind}: ways are found for models that generate text.",
            "Ask for its memory and its speed by themselves.",
        )  # fmt: skip
    fields: dict[str, object] = (
        {"model": shape.id and work.model} if shape.id else {k: v for k, v in given.items() if k != "model"}
    )
    said = [*engine_note(work.engine_said, work.engine), *shape.guesses]
    sequences = _sequences(work, said)
    visual = seen(MemoryRequest(**given, images_per_sample=work.images_per_request), shape)
    said += visual.said
    text = _context(work, shape, said)
    context = text + visual.tokens
    answer = work.output_tokens or min(ALONE_ANSWER if sequences == 1 else SHARED_ANSWER, max(text // 2, 1))
    prompt = work.input_tokens if work.input_tokens is not None else _prompt(work, sequences, text - answer)
    prefix = work.shared_prefix_tokens or 0
    if prefix and prefix >= max(prompt, 1):
        raise BadInput(
            "shared_prefix_tokens", f"{prefix:,} of {prompt:,} prompt tokens leave nothing of one's own.",
            "State a shorter prefix, or a longer input_tokens.",
        )  # fmt: skip
    cached = prefix or _history(work, sequences, prompt)
    said += _lengths_said(work, sequences, prompt, cached, answer)
    return Load(
        fields=fields, shape=shape, arch=architecture_of(ModelFields.model_validate(fields)),
        native=canonical(shape.native_format), context=context, sequences=sequences, prompt=prompt, answer=answer,
        prefix=prefix, cached=cached,
        images=work.images_per_request or 0, adapters=work.adapters or 0, lora_rank=work.lora_rank,
        weight_format=canonical(work.weight_format) if work.weight_format else None, kv_format=work.kv_format,
        engine=work.engine, parallel=work.parallel, target_rate=work.target_tokens_per_s,
        target_first_s=work.target_first_token_s,
        target_answer_s=work.target_answer_s, objective=objective, work=work, said=tuple(said),
    )  # fmt: skip


def _lengths_said(work: WorkFields, sequences: int, prompt: int, cached: int, answer: int) -> Iterator[str]:
    """Which prompt and answer the speed is told for, where they were not given or several share the cards."""
    new = prompt - cached
    earlier = f" ({cached:,} of them held from before)" if cached else ""
    told = f"a prompt of {prompt:,} tokens{earlier}"
    if work.input_tokens is None:
        yield f"input_tokens not stated: first_token_s is for {told}, not for a full context."
    if sequences > 1:
        yield (
            f"tokens_per_s_per_user of {sequences:,} at once holds the time in which prompts of others are read: "
            f"{new:,} new tokens for every answer of {answer:,}."
        )
    elif work.output_tokens is None:
        yield f"output_tokens not stated: tokens_per_s is the mean over an answer of {answer:,}."


def active(users: int) -> int:
    """Of so many users, those with a request in flight at a busy moment: a fifth, in whole people."""
    return max(math.ceil(users * ACTIVE_SHARE - ROUNDING), 1)


def _sequences(work: WorkFields, said: list[str]) -> int:
    if work.concurrent_sequences is not None:
        return work.concurrent_sequences
    if work.users is not None and work.users > 1:
        found = active(work.users)
        said.append(f"Of {work.users:,} users, {found:,} are taken to have a request in flight at a busy moment.")
        return found
    if work.users is None:
        said.append("concurrent_sequences not stated: one at a time.")
    return 1


def _context(work: WorkFields, shape: Shape, said: list[str]) -> int:
    """Tokens of text in a sequence."""
    asked = (work.input_tokens or 0) + (work.output_tokens or 0)
    if work.context_tokens is not None:
        if asked > work.context_tokens:
            raise BadInput(
                "context_tokens", f"{work.context_tokens:,} tokens do not hold {asked:,} of prompt and answer.",
                "Give the sum of input_tokens and output_tokens, or more.",
            )  # fmt: skip
        return work.context_tokens
    if work.input_tokens is not None and work.output_tokens is not None and asked:
        return asked
    usual = max(min(launch_facts().serving.context_tokens, shape.max_context or 10**9), asked)
    said.append(f"context_tokens not stated: {usual:,} tokens a sequence.")
    return usual


def _prompt(work: WorkFields, sequences: int, most: int) -> int:
    """Prompt for which speed is told where none was given.

    A context that several are to have is the history of their conversations; what one person reserves is seldom full.
    """
    if work.context_tokens is not None and sequences > 1:
        return max(most, 0)
    return min(ALONE_PROMPT if sequences == 1 else SHARED_PROMPT, max(most, 0))


def _history(work: WorkFields, sequences: int, prompt: int) -> int:
    """Tokens of a prompt told by its context alone that earlier turns brought."""
    told_in_all = work.context_tokens is not None and work.input_tokens is None and sequences > 1
    return max(prompt - constants().prompts.tokens, 0) if told_in_all else 0

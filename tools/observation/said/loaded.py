"""What a log shows to have been loaded: the format of the weights, and that they fitted. It outranks any estimate."""

import re
from collections.abc import Iterator

from pydantic import ValidationError

from kb.artifacts import Artifact
from kb.base import AdvisorError
from tools.memory.formats import canonical, weight_format
from tools.memory.request import MemoryRequest
from tools.memory.shape import shape_of
from tools.observation.said.logs import pasted
from tools.oom.cause import signature_of
from tools.oom.quantities import folded

FILES = ("llama.cpp", "ollama")
"""Kinds of logs of programs that load GGUF files."""
OF_FILES = ("F16", "Q8_0", "Q6_K", "Q5_K_M", "Q4_K_M", "IQ4_XS", "Q3_K_M", "Q2_K", "IQ2_XXS")
OF_SERVERS = ("bf16", "fp8", "awq")
"""Usual formats, one for each width that sizes can tell apart."""
NEAR = 0.1
"""How far bits a weight may be off: tables of embeddings are held wider."""
_GRADE = re.compile(r"^(\S+) - (small|medium|large)\b.*$", re.IGNORECASE)


def loaded_format(text: str | None, model: str | None, cards: int = 1) -> str | None:
    """The format that was loaded: as the log names it, else by bytes of all buffers · 8 / parameters; null where
    neither tells. `cards`: among which a server shares the weights whose size a card is told."""
    found = pasted(text) if text else ()
    for one in found:
        if one.kind in FILES and (named := _named(one)):
            return named
    return next((form for one in found if (form := _by_size(one, model, cards))), None) if model else None


def was_loaded(text: str | None) -> bool:
    """Whether a log shows weights that lie in memory, and none that ran out of it."""
    if not text or signature_of(folded(text)) is not None:
        return False
    return any(size for one in pasted(text) for size in _sizes(one))


def _named(one: Artifact) -> str | None:
    for fact in one.facts:
        if fact.name != "weight_format":
            continue
        said = str(fact.value)
        graded = _GRADE.match(said)
        written = f"{graded[1]}_{graded[2][0].upper()}" if graded else said
        for form in (f"gguf:{written}", f"gguf:{written.split()[0]}"):
            try:
                return canonical(form)
            except AdvisorError:
                continue
    return None


def _by_size(one: Artifact, model: str | None, cards: int) -> str | None:
    size = sum(_sizes(one))
    if not size or not model:
        return None
    files = one.kind in FILES
    try:
        shape = shape_of(MemoryRequest(model=model))
    except (AdvisorError, ValidationError, ValueError):
        return None
    bits = 8 * size * (1 if files else cards) / shape.params
    tables = min((1 if shape.tied else 2) * (shape.vocab or 0) * shape.hidden / shape.params, 1.0)

    def off(name: str) -> float:
        form = weight_format(name)
        return abs((form.body_bits * (1 - tables) + form.embed_bits * tables) / bits - 1)

    best = min([f"gguf:{form}" for form in OF_FILES] if files else OF_SERVERS, key=off)
    return best if off(best) <= NEAR else None


def _sizes(one: Artifact) -> Iterator[int]:
    """Bytes of weights: of every buffer once, else of the whole."""
    if one.family != "log":
        return
    buffers = {(fact.line, fact.of): fact.value for fact in one.facts if fact.name == "weights_buffer_bytes"}
    whole = [fact.value for fact in one.facts if fact.name == "weights_bytes"]
    for size in list(buffers.values()) or whole[-1:]:
        if isinstance(size, int):
            yield size

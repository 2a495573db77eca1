"""Parameters that models are said to have, and cards or memory said to hold models named by nothing but their size."""

import re
from collections.abc import Iterator

from ingest.claims.facts import cards, link_source, links, usual_memory_bytes
from ingest.claims.finding import Finding
from ingest.claims.needs import (
    BY_SIZE,
    CHEAPER,
    CHEAPER_PLACE,
    ENOUGH,
    FILLED,
    FORMAT_SLACK,
    FULL,
    REFUTED,
    SIZE,
    TRAIN,
    TRAINED_PARAMS_MIN,
    named_format,
)
from ingest.claims.reading import Clause, gpus_in, rigs_in
from kb.catalog import models
from kb.units import GIB, format_count

APART = 0.1
"""From which relative difference a stated number of parameters is another one: names round theirs."""
_SIZED = re.compile(r"(?<![\w.\-])(\d{1,4}(?:\.\d)?)\s*B(?![\w])")
_PARAMETERS = re.compile(
    r"(?<![\w.\-])(\d{1,4}(?:\.\d{1,2})?)\s*(?:B|billion|bn)\b\s*(?:total\s+|of\s+)?param"
    r"|参数(?:量|总量|规模)?(?:为|是|有|达|共|约|:|：|\s)*(\d{1,4}(?:\.\d{1,2})?)\s*B(?!\w)"
    r"|(?<![\w.\-])(\d{1,4}(?:\.\d{1,2})?)\s*B\s*(?:个)?(?:总)?参数",
    re.IGNORECASE,
)
_ONE_OF_MANY = re.compile(
    r"激活|活跃|active|per token|每个 ?token|each expert|专家|vision|视觉|embedding|draft", re.IGNORECASE
)
_ONE_CARD = re.compile(r"[一单]\s*[张块卡]|\b(?:a single|one)\b", re.IGNORECASE)
_NEEDED = re.compile(
    r"(?:需要?|占用?|大约是|needs?|requires?|takes?|occup(?:y|ies))[^\d,，。;；]{0,16}(\d{1,4}(?:,\d{3})?(?:\.\d)?)\s*GB(?!/)",
    re.IGNORECASE,
)
_BILLION = re.compile(
    r"每\s*(?:10\s*亿|十亿|1?\s*B)\s*(?:个)?参数|(?:per|a|each|every) (?:1\s*B|billion) (?:of )?param\w*", re.IGNORECASE
)
_GIGABYTES = re.compile(r"(?<![\d.])(\d{1,2}(?:\.\d{1,2})?)\s*GB(?!/)", re.IGNORECASE)
_ONLY = re.compile(r"只要|只需|仅需|就行|就能|就可以|足够|够了|only needs|takes only|needs only", re.IGNORECASE)


def size_findings(clause: Clause) -> Iterator[Finding]:
    """Judge numbers of parameters, and what is said to hold a model that is named by its size."""
    yield from _parameters(clause)
    yield from _per_billion(clause)
    if clause.models or REFUTED.search(clause.text) or CHEAPER_PLACE.search(clause.text):
        return
    sizes = {float(match[1]) for match in _SIZED.finditer(clause.text)}
    yield from _needed(clause, sizes)
    held = _held(clause)
    if len(sizes) != 1 or held is None or not (ENOUGH.search(clause.text) or _ONLY.search(clause.text)):
        return
    (size,) = sizes
    if FULL.search(clause.text):
        if BY_SIZE.search(clause.text) and gpus_in(clause.text):
            return  # judged with the cards that train it
        yield from _trained(clause, size * 1e9, *held)
    elif not TRAIN.search(clause.text) and not CHEAPER.search(clause.text.replace("推理", "")):
        yield from _served(clause, size * 1e9, *held)


def _parameters(clause: Clause) -> Iterator[Finding]:
    """「Mixtral 8x7B has 56 billion parameters」: of one model, all of its parameters."""
    match = _PARAMETERS.search(clause.text)
    if match is None or len(clause.models) != 1 or _ONE_OF_MANY.search(clause.text):
        return
    mention = clause.models[0]
    said = next(filter(None, match.groups()))
    # A number that belongs to the name is the name's own rounding.
    if re.search(rf"(?<![\d.]){re.escape(said)}(?![\d.])", mention.text) or match.start() < mention.end:
        return
    rows = [models()[key] for key in mention.ids]
    claimed = float(said) * 1e9
    right = any(abs(claimed - row.params) <= APART * row.params for row in rows)
    yield clause.finding(
        subject=rows[0].name, attribute="parameters", claimed_value=match[0].strip(), number=claimed,
        verdict="holds" if right else "wrong", correct_value=f"{format_count(rows[0].params)} parameters",
        source=f"parameters of {rows[0].id}",
    )  # fmt: skip


def _held(clause: Clause) -> tuple[float, str] | None:
    """Bytes of the cards, or of the memory, that the clause speaks of; nothing when it speaks of several."""
    rigs, named = rigs_in(clause.text, clause.line), gpus_in(clause.text)
    if named:
        if not rigs and len(named) == 1 and _ONE_CARD.search(clause.text[: named[0].start]):
            return max(card.memory_bytes for card in cards(named[0].ids)) * 1.0, named[0].text
        return (rigs[0].count * usual_memory_bytes(rigs[0].gpus) * 1.0, rigs[0].text) if len(rigs) == 1 else None
    sizes = {match[0]: float(match[1].replace(",", "")) for match in SIZE.finditer(clause.text) if match[2] != "TB"}
    if len(sizes) != 1 or rigs or re.search(r"\d\s*(?:张|块|卡|x|×|cards|GPUs)", clause.text):
        return None
    ((text, size),) = sizes.items()
    return size * GIB, text.strip()


def _per_billion(clause: Clause) -> Iterator[Finding]:
    """「每 10 亿参数 FP16 约 2GB,INT4 约 0.5GB」: weights of a billion parameters in the formats named."""
    start = _BILLION.search(clause.text)
    if start is None or TRAIN.search(clause.text) or re.search(r"KV|cache|缓存", clause.text, re.IGNORECASE):
        return
    for part in re.split(r"[,，、;；]|\band\b", clause.text):
        figures, named = [*_GIGABYTES.finditer(_BILLION.sub(" ", part))], named_format(part)
        if len(figures) != 1 or named is None or not named[1]:
            continue
        claimed = float(figures[0][1])
        yield clause.finding(
            subject=f"{named[0]} weights", attribute="memory of a billion parameters", claimed_value=part.strip(),
            # A rule of thumb may count some room for the cache in, but never hold less.
            verdict="holds" if 0.9 * named[1] <= claimed <= 1.6 * named[1] else "wrong", number=claimed * 1e9,
            correct_value=f"{named[1]:g} GB", source="arithmetic",
        )  # fmt: skip


def _needed(clause: Clause, sizes: set[float]) -> Iterator[Finding]:
    """「70B 模型 FP16 需要 70GB」: the weights of a model named by its size, in the format named beside it."""
    stated, named = _NEEDED.search(clause.text), named_format(clause.text)
    if len(sizes) != 1 or stated is None or named is None or not named[1] or not BY_SIZE.search(clause.text):
        return
    if TRAIN.search(clause.text) or len({match[0] for match in SIZE.finditer(clause.text)}) != 1:
        return
    (size,) = sizes
    needed = size * 1e9 * named[1]
    claimed = float(stated[1].replace(",", "")) * 1e9
    yield clause.finding(
        subject=f"{format_count(int(size * 1e9))} parameters", attribute="memory needed", number=claimed,
        claimed_value=stated[0].strip(), source="arithmetic",
        verdict="wrong" if claimed < FORMAT_SLACK * needed else "holds",
        correct_value=f"{named[0]} weights alone: {needed / 1e9:.4g} GB; cache and buffers come on top",
    )  # fmt: skip


def _served(clause: Clause, params: float, held: float, text: str) -> Iterator[Finding]:
    named = named_format(clause.text)
    if named is None or not named[1]:
        return
    needed = params * named[1]
    short = FILLED * held < FORMAT_SLACK * needed
    if not short and held < needed:
        return  # the name may have been rounded up
    yield clause.finding(
        subject=f"{format_count(int(params))} parameters", attribute="memory needed", claimed_value=text,
        verdict="wrong" if short else "holds", source="arithmetic",
        correct_value=f"{named[0]} weights alone: {needed / 1e9:.4g} GB; {held / GIB:,.0f} GB are there",
    )  # fmt: skip


def _trained(clause: Clause, params: float, held: float, text: str) -> Iterator[Finding]:
    if params < TRAINED_PARAMS_MIN or CHEAPER.search(clause.text):
        return
    per_param = links()["training_bytes_per_param"]
    needed = params * per_param
    yield clause.finding(
        subject=f"{format_count(int(params))} parameters", attribute="full training", claimed_value=text,
        verdict="wrong" if held < needed else "holds", source=link_source("training"),
        correct_value=(
            f"{format_count(int(params))} parameters × {per_param} bytes = {needed / 1e9:,.0f} GB before activations; "
            f"{held / GIB:,.0f} GB are there (LoRA, QLoRA or offloading need less)"
        ),
    )  # fmt: skip

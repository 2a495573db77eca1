"""What a machine or a log beside a set-up shows, as rules may ask: `seen.context_possible_tokens`, `held_idle` …"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from kb.artifacts.artifact import Artifact, Fact
from kb.artifacts.setups.written import Unit
from kb.base import AdvisorError
from kb.catalog import gpu as catalog_gpu
from kb.lexicon.cards.rules import read_cards

STANDING = {"nvidia_smi": "nvidia-smi", "nvidia_smi_csv": "nvidia-smi", "nvidia_smi_q": "nvidia-smi",
            "nvidia_query": "nvidia-smi", "ollama_list": "ollama-ps", "ollama_ps": "ollama-ps"}  # fmt: skip
"""Kind of artifact → what rules call it."""
HELD_RATIO = 0.5
"""Share of a card's memory from which, at 0 %, it counts as held."""
CAPPED_RATIO = 0.85
"""Share of the board's power below which a limit counts as lowered by hand."""
HOT_C = 88.0
"""Consumer and server cards of NVIDIA begin to throttle between 83 and 93 °C."""
_MINERS = re.compile(
    r"\b(?:xmrig|t-rex|trex|nbminer|gminer|lolminer|ethminer|phoenixminer|teamredminer|bzminer|rigel|srbminer|cpuminer|"
    r"claymore|nanominer|kawpow|ethash|etchash|randomx|nicehash|minerd|ccminer|wildrig|onezerominer)\b",
    re.IGNORECASE,
)


def standing(artifacts: Iterable[Artifact]) -> list[tuple[Unit, Artifact]]:
    """Tables of machines as units that rules look at."""
    found = []
    for one in artifacts:
        program = STANDING.get(one.kind)
        if program is not None and one.family == "state":
            found.append((Unit(program, one.first_line, one.start, one.end), one))
    return found


def logged(artifacts: Iterable[Artifact]) -> dict[str, Any]:
    """The last value of every fact of the logs."""
    return {fact.name: fact.value for one in artifacts if one.family == "log" for fact in one.facts}


def _by_card(artifact: Artifact | None) -> dict[str, dict[str, Any]]:
    """Facts of each card."""
    rows: dict[str, dict[str, Any]] = {}
    for fact in artifact.facts if artifact else ():
        if fact.of is not None and fact.of.startswith("gpu "):
            rows.setdefault(fact.of, {})[fact.name] = fact.value
    return rows


def _of(artifact: Artifact | None, name: str) -> Fact | None:
    return next((fact for fact in artifact.facts if fact.name == name), None) if artifact else None


def held_idle(artifact: Artifact | None) -> str | None:
    """A card at 0 % whose memory is mostly taken."""
    for of, row in _by_card(artifact).items():
        used, total = row.get("memory_used_bytes"), row.get("memory_total_bytes")
        if row.get("utilisation") == 0 and used and total and used / total >= HELD_RATIO:
            return f"{of.upper()} ({used / 2**20:,.0f} MiB)"
    return None


def miner(artifact: Artifact | None) -> str | None:
    """The name of a miner among the processes."""
    for fact in artifact.facts if artifact else ():
        if fact.name == "process_name" and (found := _MINERS.search(str(fact.value))):
            return found[0]
    return None


def power_capped(artifact: Artifact | None) -> str | None:
    """A card whose limit is well below its board's."""
    for of, row in _by_card(artifact).items():
        limit, name = row.get("power_limit_w"), row.get("gpu_name")
        if not limit or not name:
            continue
        try:
            ids = {one.gpu for one in read_cards(str(name)) if one.gpu}
        except AdvisorError:
            continue
        whole = min((catalog_gpu(one).tdp_w or 0 for one in ids), default=0)
        if whole and limit / whole < CAPPED_RATIO:
            return f"{of.upper()}: {limit:g} W of {whole} W"
    return None


def too_hot(artifact: Artifact | None) -> str | None:
    """A card at a temperature at which it throttles."""
    for of, row in _by_card(artifact).items():
        if (row.get("temperature") or 0) >= HOT_C:
            return f"{of.upper()}: {row['temperature']:g} °C"
    return None


def spilled(artifact: Artifact | None) -> float | None:
    """Share of a model that lies in main memory."""
    fact = _of(artifact, "cpu_share_ratio")
    return round(float(fact.value), 2) if fact is not None else None


def spilled_model(artifact: Artifact | None) -> str | None:
    """Its name."""
    fact = _of(artifact, "model")
    return str(fact.value) if fact is not None else None


def spilled_context(artifact: Artifact | None) -> int | None:
    """Its context."""
    fact = _of(artifact, "context_tokens")
    return int(fact.value) if fact is not None else None


SHOWN: Mapping[str, Callable[[Artifact | None], Any]] = {
    one.__name__: one
    for one in (held_idle, miner, power_capped, too_hot, spilled, spilled_model, spilled_context)
}  # fmt: skip
"""What rules may ask of a table, by name."""

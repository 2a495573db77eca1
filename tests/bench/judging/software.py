"""Claims about models and about the releases of software."""

import re

from judging.ruling import NUMBER, Ruling, same_words

from kb.models import models
from kb.programs.software import features
from tools.check_compatibility import Compatibility, CompatibilityRequest, check_compatibility
from tools.find_gpus import GpuQuery, find_gpus
from tools.lookup import look_up


def by_model(subject: str, attribute: str, value: str, claim: str) -> Ruling | None:
    """Sizes of models."""
    meaning = look_up(subject)
    if meaning.kind != "model":
        return None
    named = [models()[key] for key in meaning.ids]
    sizes = {one.params for one in named} | {
        max(part.params for part in one.components) for one in named if one.components
    }
    if attribute == "active parameters":
        sizes = {models()[key].active_params or models()[key].params for key in meaning.ids}
    if attribute in ("parameters", "params", "size", "active parameters"):
        said = float(NUMBER.search(value)[1]) * {"b": 1e9, "m": 1e6, "t": 1e12}[NUMBER.search(value)[2][:1].lower()]  # type: ignore[index]
        return Ruling("holds" if any(abs(one - said) <= 0.12 * one for one in sizes) else "contradicted", f"{sizes}")
    if attribute == "sizes":
        small = any(one < 20e9 for one in sizes)
        return Ruling("holds" if small == ("small" in value) else "contradicted", f"{sizes}")
    if attribute == "context":
        unit = NUMBER.search(value)[2].lower()  # type: ignore[index]
        said = float(NUMBER.search(value)[1]) * {"k": 1024, "m": 2**20}.get(unit[:1], 1)  # type: ignore[index]
        held = {models()[key].max_context_tokens for key in meaning.ids}
        return Ruling(
            "holds" if any(one and abs(one - said) <= 0.03 * one for one in held) else "contradicted", f"{held}"
        )
    if attribute == "licence":
        held = {models()[key].licence for key in meaning.ids}
        return Ruling("holds" if any(same_words(one or "", value) for one in held) else "contradicted", f"{held}")
    if "gpu recommendation" in attribute:
        series = re.search(r"(\d)000", value)
        wanted = NUMBER.search(value.partition(",")[2])
        rows = find_gpus(GpuQuery(market="consumer", limit=500)).gpus
        alike = [one for one in rows if series and one.id.startswith(f"rtx-{series[1]}0")]
        most = max((one.memory_bytes / 2**30 for one in alike), default=0)
        return Ruling(
            "contradicted" if wanted and float(wanted[1]) > most else "holds", f"most of that series: {most:g} GB"
        )
    return None


def by_software(subject: str, attribute: str, value: str, claim: str) -> Ruling | None:
    """What releases need: CUDA, drivers, cards."""
    if attribute not in ("cuda", "required cuda", "driver", "runs on"):
        return None
    plain = re.sub(r"[^a-z0-9]", "", subject.lower())
    feature = next((one for one in features() if re.search(r"\d", one) and one.replace("_", "") == plain), None)
    if feature and attribute == "runs on":
        return _of(check_compatibility(CompatibilityRequest(feature=feature, gpu=value)))
    asked = {"cuda": "cuda", "required cuda": "cuda", "driver": "driver", "runs on": "gpu"}[attribute]
    versioned = re.search(r"\d", subject) is not None
    field = (
        "framework"
        if versioned and not subject.upper().startswith("CUDA")
        else "cuda"
        if subject.upper().startswith("CUDA")
        else "engine"
    )
    result = check_compatibility(CompatibilityRequest.model_validate({field: subject, asked: value}))
    return _of(result)


def _of(result: Compatibility) -> Ruling:
    ruling = {"works": "holds", "works_with": "partly", "does_not": "contradicted", "unknown": "unknown"}
    return Ruling(ruling[result.verdict], result.reason)

"""The largest member of a family of models that a machine runs: what is meant by "Qwen" without a size."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kb.base import AdvisorError
from kb.models import models
from tools.agent_tools import reading
from tools.agent_tools.desk import Desk
from tools.agent_tools.shown import shown
from tools.what_fits_examples import WELL_KNOWN, general, recent

AROUND = re.compile(
    r"\b(?:the|largest|biggest|best|newest|latest|strongest|any|which|llms?|models?|family|series|versions?)\b"
    r"|最大|最强|最新|系列|模型|哪个|的",
    re.IGNORECASE,
)
"""Words around the name of a family that say nothing of which member is meant."""
SIZED = re.compile(r"\d\s*[bB](?![a-zA-Z])")
TOLD_MAX, TRIED_MAX = 4, 64
ROW = ("name", "weight_format", "needed_bytes_per_gpu", "verdict")


def members_named(text: str | None) -> tuple[str, ...]:
    """Ids of the general models of a family that is named without a size: "largest Qwen", "Gemma"; else empty."""
    plain = AROUND.sub(" ", text or "").strip()
    word = re.sub(r"[\s_-]+", "", plain).lower()
    if len(word) < 3 or SIZED.search(text or "") or _is_one_model(plain):
        return ()
    begins = re.compile(r"[\s_-]*".join(map(re.escape, word)) + (r"(?![.\d])" if word[-1].isdigit() else ""), re.I)
    found = [
        one for one in models().values()
        if one.id.partition("/")[0] in WELL_KNOWN and general(one) and recent(one) and begins.match(one.name)
    ]  # fmt: skip
    sizes = {one.params for one in found}
    return tuple(one.id for one in sorted(found, key=lambda one: -one.params))[:TRIED_MAX] if len(sizes) > 1 else ()


def _is_one_model(name: str) -> bool:
    """Whether a name is that of a model by itself, though others begin with it: "DeepSeek-R1", "GLM-4.5"."""
    try:
        return "model" in reading.model_and_format(name, None, published=True)[0]
    except AdvisorError:
        return False


def told(
    request: Any, ids: Sequence[str], machine: Mapping[str, Any], desk: Desk, run: Callable[[Any, Desk], dict[str, Any]]
) -> dict[str, Any]:
    """The largest of them that the machine holds for sure, else by the estimate, as `run` tells it; beside the others
    that it holds, and the next larger one."""
    asked = {name: machine.get(name) for name in ("context_tokens", "concurrent_sequences")}
    found = desk.tried("what_fits", {"gpus": machine["cards"], "models": ids, "task": "inference", **asked}) or {}
    held, beyond = found.get("candidates") or [], found.get("beyond")
    rows = [{name: one.get(name) for name in ROW} for one in held[:TOLD_MAX]]
    if beyond:
        rows.append({**{name: beyond.get(name) for name in ROW}, "verdict": "the next larger one does not fit"})
    if not held:
        return {"answer": {"verdict": "none of the family fits"}, "models": shown(rows)}
    first = next((one for one in held if one["verdict"] == "yes"), held[0])
    way = run(request.model_copy(update={"model": first["model"]}), desk)
    return {**{name: way[name] for name in ("answer", "ways", "binds") if name in way}, "models": shown(rows)}

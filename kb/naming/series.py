"""Models of one series by their names: the same name without size and variant."""

import re
from functools import lru_cache

from kb.models import models
from kb.records.model import Model

_SIZE = re.compile(r"\d+(?:\.\d+)?[bm]|\d+x\d+(?:\.\d+)?b|a\d+(?:\.\d+)?b|e\d+b|\d+e", re.I)
_VARIANT = {"instruct", "chat", "base", "it", "hf", "text", "preview", "thinking", "v0"}
_NARROW = re.compile(r"guard|shield|reward|prover|math|embed|rerank|omni|audio|caption|ocr|vl\b|vision|coder", re.I)
LANGUAGE = ("llm", "vlm")


def stem(name: str) -> str:
    """The name up to the first size or variant: "Qwen3" of "Qwen3-235B-A22B", all of "DeepSeek-R1"."""
    kept: list[str] = []
    for word in name.split("-"):
        if _SIZE.fullmatch(word) or word.lower() in _VARIANT or (kept and re.fullmatch(r"\d{4}|v\d.*", word)):
            break
        kept.append(word)
    return "-".join(kept)


@lru_cache(maxsize=256)
def smaller_of_series(model_id: str) -> tuple[str, ...]:
    """Smaller language models of the same series, distilled ones too, the largest first; empty where there are none.

    Models for one narrow use are left out, unless the model itself is one; others' too, where its maker made any.
    """
    own = models()[model_id]
    root = stem(own.name).lower()
    if not root or own.kind not in LANGUAGE:
        return ()
    found = [one for one in models().values() if _belongs(one, root) and one.params < own.params]
    found = [one for one in found if _NARROW.search(own.name) or not _NARROW.search(one.name)]
    of_maker = [one for one in found if one.id.partition("/")[0] == own.id.partition("/")[0]]
    found = of_maker or found
    return tuple(one.id for one in sorted(found, key=lambda one: (-one.params, one.id)))


def _belongs(model: Model, root: str) -> bool:
    name = model.name.lower()
    return model.kind in LANGUAGE and name.startswith(root) and name[len(root) : len(root) + 1] in {"", "-"}

"""Metadata of a GGUF file as `gguf-dump` and viewers print it."""

import re
from collections.abc import Callable, Iterable

from kb.artifacts.amounts import count
from kb.artifacts.artifact import Block, Format, Read, Spot, Value
from kb.artifacts.sheet import Line, Sheet
from kb.artifacts.state.tables import grown, stated

_ROW = re.compile(
    r"\s*(?:\d{1,5}:\s+[A-Z0-9\[\]]{3,24}\s*\|\s*\d{1,9}\s*\|\s*)?(?P<key>(?:general|tokenizer|GGUF|[a-z][a-z0-9\-]{1,30})\.[\w.]{2,60})"
    r"\s*(?:=|\t|\||:|\s{2,})\s*(?P<value>\S.{0,200})$"
)
_KEYS: dict[str, tuple[str, Callable[[str], Value | None]]] = {
    "general.architecture": ("architecture_name", lambda words: words.strip("'\"")),
    "general.name": ("model", lambda words: words.strip("'\"")), "block_count": ("layers", count),
    "general.file_type": ("weight_format", lambda words: FILE_TYPES.get(count(words) or -1)),
    "context_length": ("context_max_tokens", count), "embedding_length": ("hidden_size", count),
    "feed_forward_length": ("intermediate_size", count), "attention.head_count": ("heads", count),
    "attention.head_count_kv": ("kv_heads", count), "attention.key_length": ("head_dim", count),
    "expert_count": ("experts", count), "expert_used_count": ("experts_per_token", count), "vocab_size": ("vocab_size", count),
}  # fmt: skip
FILE_TYPES = {0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 7: "Q8_0", 8: "Q5_0", 9: "Q5_1", 10: "Q2_K", 11: "Q3_K_S", 12: "Q3_K_M",
              13: "Q3_K_L", 14: "Q4_K_S", 15: "Q4_K_M", 16: "Q5_K_S", 17: "Q5_K_M", 18: "Q6_K", 19: "IQ2_XXS", 20: "IQ2_XS",
              21: "Q2_K_S", 22: "IQ3_XS", 23: "IQ3_XXS", 24: "IQ1_S", 25: "IQ4_NL", 26: "IQ3_S", 27: "IQ3_M", 28: "IQ2_S",
              29: "IQ2_M", 30: "IQ4_XS", 31: "IQ1_M", 32: "BF16", 38: "MXFP4_MOE"}  # fmt: skip
"""Numbers of `llama_ftype`. Source: llama.cpp, include/llama.h."""


def _is_row(line: Line) -> bool:
    return bool(_ROW.match(line.text[:400]))


def _detects(sheet: Sheet) -> Iterable[Spot]:
    words = ("general.architecture", ".block_count", ".context_length", ".attention.head_count")
    rows = sorted({one for word in words for one in sheet.at(word) if _is_row(sheet.lines[one])})
    return (spot for spot in grown(sheet, rows, _is_row, gap=1) if spot.last > spot.first)


def _read(block: Block) -> Read:
    facts = []
    for line in block.lines[:2_000]:
        row = _ROW.match(line.text[:400])
        if row is None:
            continue
        key, value = row["key"], row["value"].strip()
        rule = _KEYS.get(key) or _KEYS.get(key.partition(".")[2])
        if rule is not None:
            facts += stated({rule[0]: rule[1](value)}, line)
    return Read(tuple(facts))


FORMAT = Format("gguf_metadata", "model", ("general.architecture", ".block_count"), _detects, _read)

"""DeepSeek-V4 read from its configuration: one latent a token, of which only every fourth or 128th is kept."""

from collections.abc import Mapping
from typing import Any

from kb.base import BadInput
from kb.configs.config_fields import number, required
from kb.records.model import LatentAttention

OVERLAPPING = 4
"""Tokens to an entry at which neighbouring groups overlap, and an indexer chooses among the entries."""
NAMED = {"compressed_sparse_attention": 4, "heavily_compressed_attention": 128}
Config = Mapping[str, Any]


def ratios(config: Config, layers: int) -> list[int]:
    """Tokens that one cached entry stands for, by layer; 0 = a window alone.

    Raises:
        BadInput: the file does not say.
    """
    listed, kinds = config.get("compress_ratios"), config.get("layer_types")
    if isinstance(listed, list) and len(listed) >= layers and all(isinstance(one, int) for one in listed):
        return listed[:layers]
    told = config.get("compress_rates")
    rates = told if isinstance(told, Mapping) else NAMED
    if isinstance(kinds, list) and len(kinds) >= layers:
        return [int(rates.get(str(kind), 0)) for kind in kinds[:layers]]
    raise BadInput("compress_ratios", "the configuration does not say how far each layer compresses.")


def compressed(config: Config, layers: int) -> dict[str, Any]:
    """Fields of the shape. A layer of ratio r keeps one entry for r tokens beside its window, so

    kv_compression = mean over layers of 1/r (0 where a layer has its window alone)
    """
    width, rope = required(config, "head_dim"), required(config, "qk_rope_head_dim")
    kept = [1 / one if one else 0.0 for one in ratios(config, layers)]
    return {
        "kv_heads": None,
        "head_dim": None,
        "attention": "mla",
        "sliding": None,
        "kv_compression": round(sum(kept) / layers, 6),
        "latent": LatentAttention(
            kv_lora_rank=width - rope,
            qk_rope_dim=rope,
            qk_nope_dim=width - rope,
            v_head_dim=width,
            q_lora_rank=required(config, "q_lora_rank"),
        ),
    }


def compressed_parameters(config: Config, layers: int) -> tuple[int, int]:
    """All parameters, and those that a token visits, counted as the class builds them.

    A layer has low-rank queries, one shared key-value, an output in groups, a compressor, on overlapping layers an
    indexer, its share of the hyper-connections, a router, and experts. Domain: `deepseek_v4` without its extra
    prediction layers. Source: https://github.com/huggingface/transformers (modeling_deepseek_v4.py, release 5.23).
    """
    hidden, width, rank = (required(config, name) for name in ("hidden_size", "head_dim", "q_lora_rank"))
    heads, out_rank = required(config, "heads"), required(config, "o_lora_rank")
    streams = required(config, "hc_mult")
    attention = heads + rank * (hidden + 1 + heads * width) + width * (hidden + 1)
    attention += out_rank * heads * width + hidden * required(config, "o_groups") * out_rank
    mixing = 2 * ((2 + streams) * streams * (streams * hidden + 1) + 3)
    compressors = sum(_compressor(config, one, hidden, width, rank) for one in ratios(config, layers) if one)
    expert = 3 * hidden * required(config, "expert_intermediate_size")
    count, visited = required(config, "experts"), required(config, "experts_per_token")
    shared = (number(config, "shared_experts") or 0) * expert
    rest = layers * (attention + mixing + shared + hidden * (count + 2)) + compressors
    rest += streams * (streams * hidden + 1) + 1 + hidden + 2 * required(config, "vocab_size") * hidden
    return rest + layers * count * expert, rest + layers * visited * expert


def _compressor(config: Config, ratio: int, hidden: int, width: int, rank: int) -> int:
    twice = 2 if ratio == OVERLAPPING else 1
    own = twice * width * (ratio + 2 * hidden) + width
    if ratio != OVERLAPPING:
        return own
    index_width, index_heads = required(config, "index_head_dim"), required(config, "index_n_heads")
    indexer = 2 * index_width * (ratio + 2 * hidden) + index_width
    return own + indexer + index_heads * (index_width * rank + hidden)

"""The format in which an engine keeps the cache of keys and values, where that is left to it."""

from kb.constants.speed_constants import constants


def cache_format(asked: str, engine: str, name: str, native: str) -> str:
    """The format asked for; `auto` is 16 bits, but in TensorRT-LLM the checkpoint's own.

    NVIDIA's quantised checkpoints (ModelOpt, FP8 and NVFP4) say FP8. A checkpoint in the format its maker trained is no
    such one: its cache stays at 16 bits.

    Source: https://nvidia.github.io/TensorRT-LLM/features/quantization.html (an FP8 cache is the checkpoint's or set by
    hand), and hf_quant_config.json of nvidia/Llama-3.1-8B-Instruct-FP8 (kv_cache_quant_algo: FP8).
    """
    if asked == "auto" and name != native and name in constants().decode.checkpoints_cached_in_fp8.get(engine, ()):
        return "fp8"
    return asked

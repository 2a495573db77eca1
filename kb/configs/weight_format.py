"""Which format a configuration says that its weights are stored in."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from kb.base import BadInput

DTYPES = {"bfloat16": "bf16", "float16": "fp16", "half": "fp16", "float32": "fp32", "float": "fp32"}
METHODS = {
    "fp8": "fp8", "fbgemm_fp8": "fp8", "awq": "awq", "gptq": "gptq", "mxfp4": "mxfp4", "nvfp4": "nvfp4", "mxfp8": "fp8",
}  # fmt: skip
ALGORITHMS = {"nvfp4": "nvfp4", "fp8": "fp8", "w4a16_awq": "awq", "w4a8_awq": "awq", "mxfp4": "mxfp4", "mxfp8": "fp8"}
"""ModelOpt's names of what it did to a layer."""
GROUP_OF_NVFP4 = 16
"""Elements that share a scale in NVFP4; in MXFP4 32."""


def weight_format(document: Mapping[str, Any], config: Mapping[str, Any]) -> str:
    """The format of most weights: what `quantization_config` tells, else the data type.

    Where layers are stored differently (experts in four bits, attention in sixteen), the format is that of the
    quantised ones, which hold nearly all weights of a model that is quantised at all.

    Experts in FP4 beside layers in FP8 (DeepSeek-V4) are `fp4`.

    Raises:
        BadInput: the file names a method of quantisation that is not known.
    """
    quantisation = document.get("quantization_config") or config.get("quantization_config")
    if isinstance(quantisation, Mapping) and quantisation:
        stored = _quantised(quantisation)
        return "fp4" if stored == "fp8" and config.get("expert_dtype") == "fp4" else stored
    dtype = config.get("dtype") or config.get("torch_dtype") or document.get("torch_dtype") or document.get("dtype")
    return DTYPES.get(str(dtype).removeprefix("torch."), "bf16")


def _quantised(quantisation: Mapping[str, Any]) -> str:
    method = str(quantisation.get("quant_method", "")).lower()
    told = _by_layer(quantisation)
    if told is not None:
        return told
    if method == "bitsandbytes" or "load_in_4bit" in quantisation:
        return "nf4" if quantisation.get("load_in_4bit") else "int8"
    if method in METHODS:
        return METHODS[method]
    bits = quantisation.get("bits") or quantisation.get("w_bit")
    if bits in (4, 8):
        return "int8" if bits == 8 else "int4"
    raise BadInput(
        "quantization_config", f"weights stored by “{method[:40] or 'no named method'}” are not understood.",
        "Give the weight format.",
    )  # fmt: skip


def _by_layer(quantisation: Mapping[str, Any]) -> str | None:
    """What ModelOpt and compressed-tensors say of groups of layers; None where they say nothing."""
    algorithm = str(quantisation.get("moe_quant_algo") or quantisation.get("quant_algo") or "").lower()
    if algorithm in ALGORITHMS:
        return ALGORITHMS[algorithm]
    layers = quantisation.get("quantized_layers")
    if isinstance(layers, Mapping):
        named = (str(one.get("quant_algo", "")).lower() for one in layers.values() if isinstance(one, Mapping))
        return _commonest(ALGORITHMS[name] for name in named if name in ALGORITHMS)
    groups = quantisation.get("config_groups")
    if not isinstance(groups, Mapping):
        return None
    read = [_group(one, str(quantisation.get("format", ""))) for one in groups.values() if isinstance(one, Mapping)]
    return _narrowest(one for one in read if one)


def _group(group: Mapping[str, Any], packing: str) -> str | None:
    weights = group.get("weights")
    if not isinstance(weights, Mapping):
        return None
    bits, floating = weights.get("num_bits"), weights.get("type") == "float"
    packed = str(group.get("format") or packing)
    if bits == 4 and floating:
        return "nvfp4" if "nvfp4" in packed or weights.get("group_size") == GROUP_OF_NVFP4 else "mxfp4"
    if bits == 8:
        return "fp8" if floating else "int8"
    return "int4" if bits == 4 else None


def _commonest(formats: Iterable[str]) -> str | None:
    counted = Counter(formats).most_common(1)
    return counted[0][0] if counted else None


def _narrowest(formats: Iterable[str]) -> str | None:
    """Of several groups that with the fewest bits: experts, which are most of the weights, are quantised furthest."""
    return min(formats, key=lambda one: "8" in one, default=None)

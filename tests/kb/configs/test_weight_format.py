"""How weights are stored, by what configurations say of it."""

from typing import Any

import pytest

from kb.base import BadInput
from kb.configs.weight_format import weight_format


def groups(packing: str = "", **weights: Any) -> dict[str, Any]:
    return {
        "quant_method": "compressed-tensors",
        "format": packing,
        "config_groups": {"group_0": {"targets": ["Linear"], "weights": weights}},
    }


@pytest.mark.parametrize(
    ("quantisation", "stored"),
    [
        ({"quant_method": "fp8"}, "fp8"),
        ({"quant_method": "awq", "bits": 4}, "awq"),
        ({"quant_method": "auto-round", "bits": 4}, "int4"),
        ({"quant_method": "bitsandbytes", "load_in_4bit": True}, "nf4"),
        ({"quant_method": "modelopt", "quant_algo": "NVFP4"}, "nvfp4"),
        ({"quant_method": "modelopt", "quant_algo": "FP8"}, "fp8"),
        ({"quant_method": "fp8", "quant_algo": "MIXED_PRECISION", "moe_quant_algo": "NVFP4"}, "nvfp4"),
        (
            {
                "quant_method": "modelopt",
                "quant_algo": "MIXED_PRECISION",
                "quantized_layers": {
                    "a": {"quant_algo": "FP8"}, "b": {"quant_algo": "NVFP4"}, "c": {"quant_algo": "NVFP4"},
                },
            },
            "nvfp4",
        ),
        (groups("pack-quantized", num_bits=4, type="int", group_size=32), "int4"),
        (groups("float-quantized", num_bits=8, type="float"), "fp8"),
        (groups("int-quantized", num_bits=8, type="int"), "int8"),
        (groups("nvfp4-pack-quantized", num_bits=4, type="float", group_size=16), "nvfp4"),
        (groups("mxfp4-pack-quantized", num_bits=4, type="float", group_size=32), "mxfp4"),
    ],
)  # fmt: skip
def test_every_tool_says_it_its_own_way(quantisation: dict[str, Any], stored: str) -> None:
    assert weight_format({"quantization_config": quantisation, "torch_dtype": "bfloat16"}, {}) == stored
    assert weight_format({}, {"quantization_config": quantisation}) == stored


def test_an_unknown_way_is_no_sixteen_bits() -> None:
    with pytest.raises(BadInput):
        weight_format({"quantization_config": {"quant_method": "quark"}, "torch_dtype": "bfloat16"}, {})


def test_without_quantisation_the_data_type_decides() -> None:
    assert weight_format({"torch_dtype": "torch.float16"}, {"torch_dtype": "torch.float16"}) == "fp16"

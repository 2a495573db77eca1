"""Pictures and clips on cards that do not hold them whole."""

from typing import Any

import pytest

from tools.agent_tools.ledger import Ledger
from tools.agent_tools.toolset import agent_tool


def ways(**fields: Any) -> dict[str, Any]:
    found = agent_tool("find_ways_to_run").look_up(fields, Ledger())
    assert not found.failed, found.shown
    return found.shown


@pytest.mark.parametrize(
    "fields",
    [
        {"model": "Wan2.2-T2V-A14B", "cards": "1x 3090", "size": "832x480 81 frames", "host_memory": "96GB"},
        {"model": "LTX-2", "cards": "1x 4080 16GB", "size": "1280x704 121 frames", "host_memory": "64GB"},
        {"model": "HunyuanVideo", "cards": "1x 4070 Ti Super", "size": "960x544 129 frames", "host_memory": "64GB"},
        {"model": "Qwen-Image", "cards": "1x 3060 12GB", "host_memory": "64GB", "engine": "comfyui"},
    ],
)
def test_what_people_run_with_weights_in_host_memory_fits(fields: dict[str, Any]) -> None:
    found = ways(**fields)

    assert found["answer"]["verdict"] == "fits_with_changes"
    assert found["speed"]["host"].endswith("GiB")
    assert any("host memory" in way["parts"] and way["fit"] == "yes" for way in found["ways"])


def test_what_fits_whole_is_not_sent() -> None:
    found = ways(model="SDXL", cards="1x 4090", host_memory="64GB")

    assert found["answer"]["verdict"] == "fits"
    assert not any("block by block" in way["parts"] for way in found["ways"])
    assert "streamed" not in found["speed"]


def test_a_host_that_cannot_hold_the_weights_gets_a_narrower_format_or_a_word() -> None:
    fields = {"model": "Wan2.2-T2V-A14B", "cards": "1x 3090", "size": "832x480 81 frames"}

    assert ways(**fields, host_memory="128GB")["answer"]["way"].startswith("bf16")
    assert ways(**fields, host_memory="64GB")["answer"]["way"].startswith("fp8")
    assert any("too small" in one for one in ways(**fields, host_memory="8GB")["warnings"])
    assert any("not stated" in one for one in ways(**fields)["warnings"])


def test_a_decoder_of_a_video_model_is_counted_as_wide_as_it_is() -> None:
    """diffusers issue 12900: 75 GB with PyTorch 2.8, out of memory on 80 GB with 2.9; decoded in tiles it fits."""
    found = ways(model="Qwen-Image", cards="A100 80GB", size="2048x2048")["ways"][0]

    needed = float(found["needed"].split()[0])
    assert needed == pytest.approx(75, rel=0.08)
    assert found["fit"] == "tight"
    parts = found["made_of"]
    assert sum(float(one.split()[0]) / (1024 if "MiB" in one else 1) for one in parts.values()) == pytest.approx(
        needed, abs=0.2
    )


@pytest.mark.parametrize(
    ("model", "short", "long"), [("FramePack", "5 s video", "60 s video"), ("FramePack", "3 秒", "1800 frames")]
)
def test_a_clip_made_in_sections_takes_no_more_memory_for_its_length(model: str, short: str, long: str) -> None:
    one, other = (ways(model=model, cards="4090", size=f"640x608 {size}")["ways"] for size in (short, long))
    assert [way["needed"] for way in one] == [way["needed"] for way in other]


def test_a_longer_clip_made_at_once_takes_more() -> None:
    one, other = (ways(model="HunyuanVideo", cards="H100", size=f"720p {size}")["ways"][0] for size in ("3 s", "5 s"))
    assert float(one["needed"].split()[0]) < float(other["needed"].split()[0])


def test_what_is_told_first_is_the_way_that_is_meant() -> None:
    found = ways(model="Wan2.1-I2V-14B-720P", cards="L20", size="720p 81 frames 20 steps", engine="comfyui")
    first = found["ways"][0]
    assert found["answer"]["way"] == f"{first['weight_format']}, {first['parts']}"


@pytest.mark.parametrize("model", ["boltz-2", "esmfold_v1", "nllb-200-3.3B"])
def test_a_model_of_unknown_shape_is_never_said_to_fit_by_its_weights(model: str) -> None:
    found = ways(model=model, cards="1x 4090", context_tokens="2300")
    assert found["answer"]["verdict"] == "weights_fit"
    assert "Only weights are counted" in found["warnings"][0]


def test_a_model_of_known_shape_fits() -> None:
    found = ways(model="bge-m3", cards="1x 4090")
    assert found["answer"]["verdict"] == "fits"
    assert not any("Only weights" in one for one in found["warnings"])


def test_longer_texts_in_larger_batches_take_more_memory() -> None:
    def needed(**load: str) -> float:
        return float(ways(model="bge-m3", cards="4090", **load)["ways"][0]["needed"].split()[0])

    assert needed(input_tokens="512", concurrent_sequences="8") < needed(input_tokens="512", concurrent_sequences="64")
    assert needed(input_tokens="512", concurrent_sequences="8") < needed(input_tokens="8192", concurrent_sequences="8")


def test_a_batch_that_does_not_fit_is_cut_and_attention_written_out_told() -> None:
    found = ways(model="bge-m3", cards="4090", input_tokens="8192", concurrent_sequences="64")

    assert found["answer"]["verdict"] == "fits_with_changes"
    assert 0 < found["answer"]["fits_in_batches_of"] < 64
    assert found["if_attention_is_eager"]["fit"] == "no"


def test_a_batch_of_pictures_takes_more_memory_than_one() -> None:
    one, four = (
        ways(model="SDXL", cards="3090", size="1024x1024 30 steps", concurrent_sequences=count)["ways"][0]["needed"]
        for count in ("1", "4")
    )

    assert float(one.split()[0]) < float(four.split()[0])


def test_a_model_that_speaks_is_told_by_what_others_measured_or_not_at_all() -> None:
    known, unknown = ways(model="IndexTTS", cards="4090"), ways(model="kokoro-82m", cards="3060 12GB")

    assert known["measured_by_others"]["source"].startswith("https://")
    assert "measured_by_others" not in unknown
    for found in (known, unknown):
        assert "not estimated" in found["warnings"][0]


def test_requests_of_a_day_are_not_taken_for_requests_at_once() -> None:
    found = ways(model="Qwen3-8B", cards="4090", concurrent_sequences="5000 requests per day")

    assert found["requests"]["under_way"] < 10
    assert found["requests"]["keeps_up"] is True
    assert ways(model="Qwen3-8B", cards="4090", concurrent_sequences="40 rps")["requests"]["keeps_up"] is False


def test_what_is_not_counted_is_named() -> None:
    several = ways(works=["Qwen3-8B", "bge-m3"], cards="3090", weight_format="awq", images_per_request="2")

    assert several["not_counted"] == ["images_per_request"]
    assert several["answer"]["weight_format"] == "awq"
    assert ways(model="kokoro-82m", cards="4090", kv_format="fp8")["not_counted"] == ["kv_format"]
    assert "not_counted" not in ways(model="Qwen3-8B", cards="3090", kv_format="fp8", users="5")


def test_drafted_tokens_are_told_by_their_range_where_somebody_speaks_of_them() -> None:
    dense, sparse = (
        ways(model=model, cards="3090", engine="llama.cpp with MTP") for model in ("Qwen3.6-27B", "Qwen3.6-35B-A3B")
    )
    gains = [
        float(found["speculative"]["tokens_per_s_per_user"].split("–")[0])
        / float(found["ways"][0]["speed"]["tokens_per_s_per_user"].split("–")[0])
        for found in (dense, sparse)
    ]

    assert gains[0] > gains[1] > 1
    assert "speculative" not in ways(model="Qwen3.6-27B", cards="3090", engine="llama.cpp")


def test_what_is_left_of_a_card_is_told() -> None:
    memory = ways(model="Qwen3-8B", cards="3090")["ways"][0]["memory"]
    needed, usable, spare = (float(memory[f"{name}_per_gpu"].split()[0]) for name in ("needed", "usable", "spare"))

    assert spare == pytest.approx(usable - needed, abs=0.11)


def test_weights_of_the_fullest_moment_are_told_as_those() -> None:
    """Where the decoder alone is on the card at the peak, its weights are no size of the model."""
    found = ways(model="SDXL", cards="RX 6700 XT", engine="comfyui")["ways"]
    narrow = next(way for way in found if way["weight_format"] == "gguf:Q4_K_M")

    assert "fullest while the picture is decoded" in narrow["parts"]
    assert not any("decoded" in way["parts"] for way in found if way["weight_format"] == "fp16")


def test_what_comfyui_moves_by_itself_is_not_all_on_the_card_at_once() -> None:
    assert not any("at once" in way["parts"] for way in ways(model="SDXL", cards="1x 4090", engine="comfyui")["ways"])
    assert "at once" in ways(model="SDXL", cards="1x 4090")["answer"]["way"]

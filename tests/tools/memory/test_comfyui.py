"""ComfyUI: parts in turn without being told, and frames worked on in place."""

from kb.units import GB
from tools.memory import estimate_memory
from tools.memory.request import MemoryRequest


def total(**fields: object) -> float:
    return estimate_memory(MemoryRequest.model_validate(fields)).per_gpu.total_bytes


def test_an_expert_of_wan_stays_on_a_24_gb_card() -> None:
    """One FP8 expert of Wan 2.2 was seen to peak at 14.9 to 19 GB at 720p and 81 frames."""
    clip = {"model": "Wan-AI/Wan2.2-I2V-A14B", "weight_format": "fp8", "width_px": 1280, "height_px": 720, "frames": 81}
    assert 14 * GB < total(**clip, engine="comfyui") < 24 * GB < total(**clip, engine="diffusers")


def test_parts_take_turns_unless_all_are_to_stay() -> None:
    model = "stabilityai/stable-diffusion-3.5-large"
    turns, resident = (total(model=model, engine="comfyui", offload=offload) for offload in (None, "none"))
    assert turns < 0.75 * resident


def test_blocks_swapped_train_an_adapter_of_flux_on_8_gb() -> None:
    """sd-scripts names 28 blocks to swap for a card of 8 GB, and 16 GB as too little without any."""
    request = {
        "model": "black-forest-labs/FLUX.1-dev",
        "task": "lora",
        "weight_format": "fp8",
        "gradient_checkpointing": "full",
    }
    assert total(**request, offload="all") < 9 * GB < 16 * GB < total(**request)


def test_a_streamed_pipeline_decodes_tile_by_tile() -> None:
    model = "stabilityai/stable-diffusion-xl-base-1.0"
    assert total(model=model, offload="all") < 4 * GB < total(model=model, offload="components")

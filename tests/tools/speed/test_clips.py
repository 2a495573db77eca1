"""Clips: a denoising step follows from the tokens that a model's autoencoder leaves of it."""

import pytest

from kb.catalog import model
from kb.constants.item_work import item_work
from tools.named import read_card
from tools.speed.item import step_flops
from tools.speed.item_estimate import ItemPace, item_pace
from tools.speed.request import InferenceSpeedRequest

LTX_2 = "Lightricks/LTX-2"
WAN = "Wan-AI/Wan2.2-T2V-A14B"


def pace(**fields: object) -> ItemPace:
    """The formulas alone, on an H100."""
    request = InferenceSpeedRequest.model_validate({"gpu": "h100-sxm-80gb", **fields})
    return item_pace(request, read_card(request.gpu)[0])


def test_ltx_2_packs_32_by_32_pixels_of_eight_frames_into_a_token() -> None:
    tokens, layers, hidden = 24 * 16 * 16, 48, 4096
    block = 14 * hidden**2  # self- and cross-attention, feed-forward of four times the width
    by_hand = layers * (2 * tokens * block + 4 * tokens**2 * hidden)

    assert step_flops(model(LTX_2), item_work().pictures[LTX_2], 768, 512, 121) == pytest.approx(by_hand, rel=0.1)


def test_a_clip_of_ltx_2_takes_seconds_where_wan_takes_minutes() -> None:
    same = {"width_px": 1280, "height_px": 704, "frames": 121, "steps": 40}
    ltx, wan = (pace(model=name, **same).time.total_s for name in (LTX_2, WAN))

    assert 5 < wan / ltx < 30
    assert pace(model=LTX_2, steps=8).time.total_s < 15


@pytest.mark.parametrize(("gpu", "ratio"), [("a100-sxm-80gb", 0.62 / 0.45), ("h100-sxm-80gb", 1.0)])
def test_long_clips_keep_an_a100_busier_than_pictures(gpu: str, ratio: float) -> None:
    clip, picture = (pace(model=WAN, gpu=gpu, frames=frames, steps=50) for frames in (81, 1))
    rates = [one.time.flops / one.time.compute_s for one in (clip, picture)]

    assert rates[0] / rates[1] == pytest.approx(ratio, rel=0.01)

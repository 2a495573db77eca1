"""GeForce cards proposed for a company's racks come with what NVIDIA's licence says of them."""

import pytest

from tests.assistant.planning import turn

SAID = ("does not allow deployment in a data centre", "不允许部署在数据中心")


@pytest.mark.parametrize(
    "text",
    [
        "小公司 7×24 跑一个 32B 的客服模型，租 H20 还是买两张 4090？",
        "Which GPU for a startup serving Qwen3-8B in production, budget $2000?",
        "2x RTX 3090 in a rack or one L40S for Qwen2.5-32B?",
    ],
)
def test_the_licence_is_told_where_such_cards_would_serve_a_business(text: str) -> None:
    assert any(one in turn(text)[2].answer for one in SAID)


@pytest.mark.parametrize(
    "text",
    [
        "4090 under my desk for Qwen3-32B in our company office?", "best card for stable diffusion at home under $800",
        "H100 or L40S in our data center for Llama 3.1 8B?", "3090 or 4090 for Qwen3-32B?",
    ],
)  # fmt: skip
def test_it_is_not_told_of_desks_or_of_other_cards(text: str) -> None:
    assert not any(one in turn(text)[2].answer for one in SAID)

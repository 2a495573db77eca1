"""A text that is known by its name has its tokens; said prices being alike are no prices of ours."""

import pytest

from assistant.ground.check import ground
from tests.assistant.planning import talk, turn

NANOGPT, ONE_PASS = 294_912_000_000, 9_035_582_198


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("pre-train gpt2 on openwebtext with default args on 8 A100s, how long?", NANOGPT),
        ("gpt2 从头训 openwebtext，默认参数，8 张 A100 要多久", NANOGPT),
        ("train gpt2-medium from scratch on OpenWebText on a 3090, how long?", ONE_PASS),
        ("pre-train gpt2 on 20B tokens on a 4090, how long?", 20_000_000_000),
    ],
)
def test_a_named_text_has_its_tokens(text: str, tokens: int) -> None:
    understanding, records, draft = turn(text)
    assert understanding.need.dataset_tokens == tokens
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


def test_a_named_text_is_kept_and_cited() -> None:
    first = turn("How long to pre-train gpt2 on an RTX 4090? default args, openwebtext")
    assert "nanoGPT" in " ".join(one.title for one in first[2].citations)
    later = talk(
        "How long to pre-train gpt2 on an RTX 4090?", "default args, openwebtext",
        "ok and if I rent 8xA100 or 8xH100 instead — time and rough cost?",
    )  # fmt: skip
    assert later[0].need.dataset_tokens == NANOGPT


@pytest.mark.parametrize(
    ("text", "leads"),
    [
        ("nanopore basecalling: A100 40GB or L40 48GB, similar price. does the newer arch win?", "A100"),
        ("RTX A6000 or L40S at about the same price, which one?", "L40S"),
    ],
)
def test_at_said_like_prices_the_cards_decide(text: str, leads: str) -> None:
    first = turn(text)[2].answer.splitlines()[0]
    assert leads in first.split(":")[0]
    assert "$" not in first

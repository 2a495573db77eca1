"""Why several cards are slower than one, by the way that the engine spreads a model over them."""

import pytest

from tests.assistant.planning import turn


@pytest.mark.parametrize(
    ("text", "opens"),
    [
        ("llama.cpp with Mistral 7B Q4 does 95 t/s on one 3090 and 60 with 3x 3090. Why do more cards make it slower?",
         "That is how splitting by layers works"),
        ("Why are two 4090s slower than one in llama.cpp for Qwen2.5 14B Q4_K_M?", "That is how splitting"),
        ("vLLM, Llama-3.1-70B in bf16: tp=8 on 8x H100 gives 3 tok/s, tp=4 is fast. Expected the opposite.",
         "That is not normal"),
        ("Qwen2.5-7B on 4x A100 NVLink: one GPU 80 tok/s, 2-way TP only 50. Why is two slower?", "That is not normal"),
        ("llama.cpp 跑 14B Q4，两张 3090 反而比一张慢，为什么", "按层切分就是这样"),
    ],
)  # fmt: skip
def test_the_cause_follows_from_how_the_engine_splits(text: str, opens: str) -> None:
    understanding, _, draft = turn(text)
    assert understanding.need.intent == "interconnect"
    assert draft.answer.lstrip("*").startswith(opens), draft.answer.splitlines()[0]


def test_the_width_stated_is_the_one_timed() -> None:
    _, records, _ = turn("Llama-2-13B on 8x A100 NVLink: 2-way TP is slower than one card, why?")
    widths = {one.result.get("gpu_count") for one in records if one.tool == "estimate_inference_speed"}
    assert widths == {1, 2}


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("I only get 11 tokens/s with Qwen2.5-72B AWQ on 2x A6000, CUDA 12.4, driver 550. normal?", "speed"),
        ("stuck at 4 t/s with Llama 3.1 8B Q4 on a 3080, driver 535, is something wrong?", "speed"),
        ("Will 2x A100 run out of memory with Llama 3.1 70B int4 at 64k?", "can_it_run"),
        ("can it run out of memory: Qwen3-32B at 40k on an H100?", "can_it_run"),
        ("how bad is an x4 slot for QLoRA of a 7B with DDP on two 4090s?", "interconnect"),
        ("does it make sense to own a card for two LoRA runs of 5 hours a month on an A100?", "cloud_or_buy"),
        ("why does my gpu run out of memory with SDXL?", "oom"),
        ("how far can I push num_ctx for Phi-4 Q4 on a 4070?", "context_length"),
        ("how high can I set -c for Gemma 2 9B Q4_K_M on 12GB?", "context_length"),
    ],
)
def test_the_question_leads_not_what_is_stated_beside_it(text: str, intent: str) -> None:
    assert turn(text)[0].need.intent == intent


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("smallest GPU for Mistral Small 24B, context 16k, 3 people at once", 16_384),
        ("Qwen2.5-14B, context of 64k on a 4090", 65_536),
        ("Llama 3.1 8B with context 20k", 20_000),
    ],
)
def test_a_context_is_no_text_of_so_many_bytes(text: str, tokens: int) -> None:
    assert turn(text)[0].need.context_tokens == tokens


@pytest.mark.parametrize(
    "text",
    ["is Q5_K_M worth it over Q4_K_M for Qwen2.5 14B on a 4070 Ti?", "Q8_0 vs Q4_K_M worth it for 7B on a 3060?"],
)
def test_a_format_that_may_be_worth_it_is_no_purchase(text: str) -> None:
    _, _, draft = turn(text)
    assert draft.verdict == "fits"
    assert "Q4_K_M" in draft.answer


@pytest.mark.parametrize(
    "text",
    [
        "where does 16 bytes per parameter for full fine-tuning a 7B come from?",
        "how is the 112GB for training a 7B calculated?",
    ],
)
def test_asked_how_it_is_reckoned_the_reckoning_is_told_and_nothing_sold(text: str) -> None:
    _, _, draft = turn(text)
    assert draft.answer.lstrip("*").startswith("Each parameter takes 4 bytes of weights")
    assert "Buy**" not in draft.answer


def test_adapters_that_are_ruled_out_are_not_proposed() -> None:
    _, _, draft = turn("Can I full fine-tune Qwen2.5-72B on 8x H100 80GB? not lora")
    assert "LoRA" not in draft.answer.split("**Assumed**")[0]


def test_of_unlike_numbers_of_cards_memory_is_told_together() -> None:
    _, _, draft = turn("for SDXL: one 4090 or two 4070 Ti Super?")
    assert "2×RTX 4070 Ti SUPER (16 GB GDDR6X each)" in draft.answer
    assert "not together" in draft.answer


@pytest.mark.parametrize(
    ("text", "opens"),
    [
        ("driver 470 on a server with 4x A100, will the latest vLLM run?", "CUDA 13.x by itself needs a Linux driver"),
        ("驱动 470，A100，最新的 vllm 能跑吗", "驱动 470"),
    ],
)
def test_the_newest_release_is_held_against_the_driver(text: str, opens: str) -> None:
    _, _, draft = turn(text)
    assert draft.answer.lstrip("*").startswith(opens), draft.answer.splitlines()[0]


@pytest.mark.parametrize(
    "text", ["int8 vs fp8 for Qwen2.5-72B on 4x L40S, which is better?", "Q8_0 or Q5_K_M for 8B on a 3080?"]
)
def test_formats_weighed_are_told_side_by_side_with_their_speed(text: str) -> None:
    _, _, draft = turn(text)
    assert draft.answer.lstrip("*").startswith("Both fit")
    assert draft.answer.splitlines()[0].count("tokens/s") == 2


def test_a_number_of_cards_goes_for_every_card_weighed() -> None:
    need, _, _ = turn("A40 or L40S or A6000 for Qwen2.5-32B bf16, on two cards, cost aside?")
    assert {card.count for card in need.need.gpus_proposed} == {2}


def test_a_card_without_cuda_is_not_crowned_for_pictures_by_its_arithmetic() -> None:
    _, _, draft = turn("7900 XTX or 3090 for SDXL?")
    assert draft.answer.lstrip("*").startswith("RTX 3090 is the safer choice")


@pytest.mark.parametrize(
    "text", ["the RTX 5070 Ti with sm_120 is not compatible with the current PyTorch installation, CUDA 12.1"]
)
def test_the_installation_at_hand_is_no_newest_release(text: str) -> None:
    _, _, draft = turn(text)
    assert "PyTorch 2.12" not in draft.answer


def test_an_ordinary_word_is_no_slip_for_a_model() -> None:
    understanding, _, _ = turn("serve gpt-oss-20b to 12 internal users with minimal latency on an L4?")
    assert not understanding.ambiguities
    assert understanding.need.users == 12


def test_a_training_that_may_run_is_told_with_its_time() -> None:
    _, _, draft = turn("pretraining a 1B model on 20B tokens with 4x A6000, realistic?")
    assert "months" in draft.answer.split("\n")[0] or "days" in draft.answer.split("\n")[0]

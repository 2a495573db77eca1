"""What people say beside their question counts for what it is: things that are many, faults, what an answer told."""

import pytest

from assistant.plan.amounts import period_s
from assistant.understand import understand
from assistant.understanding import Asked
from kb.catalog import models
from kb.constants.speed_constants import constants
from kb.units import DAY_S
from tests.assistant.planning import turn


@pytest.mark.parametrize("things", ["pdf pages", "documents", "support tickets", "product photos", "emails", "chunks"])
def test_many_things_are_no_length(things: str) -> None:
    need = understand(f"RAG over 500k {things} with llama 3.1 8b, what GPU?").need
    assert need.context_tokens is None


@pytest.mark.parametrize(
    "text", ["llama 3.1 8b with 32k context on a 3090", "8k prompts, llama 3.1 8b, speed on a 4090?"]
)
def test_a_length_stays_one(text: str) -> None:
    assert understand(text).need.context_tokens


@pytest.mark.parametrize(
    "text",
    [
        "[Rank 3] Watchdog caught collective operation timeout: WorkNCCL(OpType=ALLREDUCE) 8xH100, how do i debug",
        "torch.distributed hangs at init_process_group on 2 nodes, nccl timeout",
        "all_reduce gets stuck on 4x A100 after an hour",
    ],
)
def test_a_fault_of_communication_is_no_question_of_memory_or_links(text: str) -> None:
    understood, records, _ = turn(text)
    assert (understood.need.intent, understood.asks) == ("guidance", ())
    assert understood.need.lora_rank is None
    assert not {"estimate_memory", "estimate_training_time"} & {record.tool for record in records}


@pytest.mark.parametrize("asks", ["how many days?", "how long will it take?"])
def test_the_time_comes_before_the_network(asks: str) -> None:
    _, _, draft = turn(f"pretrain a 1.3B on 26B tokens, 2 nodes x 8 A100 80GB over 100GbE, {asks}")
    first = draft.answer.split("\n")[0]
    assert first.lstrip("*").startswith("Training takes about")
    assert "LoRA" not in draft.answer


def test_cards_known_by_size_alone_are_tried_with_smaller_files() -> None:
    _, records, draft = turn("is 16gb vram enough for qwen3 30b a3b?")
    tried = {record.request.get("weight_format") for record in records if record.tool == "estimate_memory"}
    assert "gguf:Q3_K_M" in tried
    assert draft.verdict == "fits_with_changes"


@pytest.mark.parametrize(
    "text", ["we need to serve qwen3-32b to 30 concurrent users", "Serving Llama 3.3 70B, 20 concurrent requests"]
)
def test_a_load_to_serve_without_cards_is_answered_with_hardware(text: str) -> None:
    _, _, draft = turn(text)
    assert draft.verdict == "recommendation"


def test_memory_for_a_load_stays_memory() -> None:
    _, _, draft = turn("how much vram does qwen3-32b need for 30 concurrent users?")
    assert draft.verdict == "estimate"


@pytest.mark.parametrize(("host", "server"), [("64GB DDR5", False), ("192GB DDR5", False), ("512GB DDR5", True)])
def test_more_memory_than_a_desktop_takes_is_a_servers(host: str, server: bool) -> None:
    _, records, draft = turn(f"deepseek r1 671b Q2_K on a single 4090 + {host}, what tok/s?")
    moved = [record.request.get("host_bandwidth_bytes_per_s") for record in records]
    usual = constants().host
    expected = usual.server_bandwidth_bytes_per_s if server else usual.bandwidth_bytes_per_s
    assert {one for one in moved if one} == {expected}
    assert "vLLM" not in "".join(draft.assumptions)


def _after(first: str) -> Asked:
    understood, _, draft = turn(first)
    return understood.need.model_copy(update={"shown": draft.shown})


def test_a_card_told_after_the_memory_is_asked_whether_it_does() -> None:
    before = _after("How much VRAM for Mixtral 8x7B in 4-bit?")
    _, _, draft = turn("ok but I only have 64GB RAM and a 3060", before)
    assert draft.verdict == "fits_with_changes"
    assert "host memory" in draft.answer.split("\n")[0]


@pytest.mark.parametrize(("asks", "figure"), [("how fast?", "tokens/s"), ("how long for 20M tokens of lora?", "hours")])
def test_what_only_a_model_has_is_told_of_the_first_that_fits(asks: str, figure: str) -> None:
    before = _after("what is the largest model I can run on 2x 3090?")
    assert before.shown is not None
    assert before.shown.model in models()
    understood, _, draft = turn(asks, before)
    assert understood.need.on_model
    assert models()[str(before.shown.model)].name in draft.answer.split("\n")[0]
    assert figure in draft.answer


def test_the_biggest_of_all_lets_go_of_the_model_before() -> None:
    before = _after("qlora llama 3.1 70b on my 24GB 4090?")
    understood, _, draft = turn("ok so what's the biggest i can finetune on it", before)
    assert understood.need.model is None
    assert draft.verdict == "recommendation"


def test_what_fitted_before_is_told_beside_what_fits_now() -> None:
    before = _after("can i run llama 3.3 70b on 2x3090?")
    assert before.shown is not None
    assert "Q4_K_M" in str(before.shown.said)


@pytest.mark.parametrize(
    ("text", "days"), [("1000 hours a day", 1), ("5 000 per week", 7), ("10,000 hours of audio per month", 30)]
)
def test_a_load_comes_again_after_its_period(text: str, days: int) -> None:
    assert period_s(text) == days * DAY_S


def test_a_months_recordings_are_held_against_what_a_card_transcribes() -> None:
    _, _, draft = turn("whisper large v3, 10,000 hours of audio per month, what gpu?")
    assert "10,000 hours of speech a month" in draft.answer.split("\n")[0]


def test_pictures_are_counted_in_a_format_that_the_card_holds() -> None:
    _, records, _ = turn("flux dev, 20k images a day, how many 4090s?")
    held = [one.result["fit"]["verdict"] for one in records if one.tool == "estimate_memory" and one.result.get("fit")]
    assert "no" not in held


@pytest.mark.parametrize(
    "text", ["can i run qwen3 32b on a 3090?", "speed of llama 70b q4 on 2x 3090", "lora 7b on a 4090"]
)
def test_what_was_not_asked_is_not_assumed(text: str) -> None:
    _, _, draft = turn(text)
    assert not any("how much text" in line for line in draft.assumptions)


@pytest.mark.parametrize("count", ["2M", "500k", "1.5M"])
def test_so_many_samples_are_no_bytes(count: str) -> None:
    tokens = understand(f"dataset of {count} samples avg 600 tokens, sft 8b on 8xH100, days?").need.dataset_tokens
    assert tokens is not None
    assert tokens >= 500_000 * 600

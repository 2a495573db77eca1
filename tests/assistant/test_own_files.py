"""One person's own card: the best file that it holds leads the answer, in its own format, with its context and pace."""

import pytest

from assistant.ground.check import ground
from assistant.understand import understand
from tests.assistant.planning import turn


def opening(text: str) -> str:
    """The first paragraph of the answer."""
    return turn(text)[2].answer.split("\n")[0]


@pytest.mark.parametrize(
    ("text", "form"),
    [
        pytest.param("a 4070 12GB and Qwen3-14B?", "4-bit GGUF Q4_K_M", id="vllm-misses-by-a-hair"),
        pytest.param("RTX 3060 12G 跑 14B", "4 bit 的 GGUF Q4_K_M", id="size-only-zh"),
        pytest.param("RTX 3080 Ti 12GB with Phi-4", "4-bit GGUF Q4_K_M", id="phi"),
        pytest.param("3080 10GB llama 3 8B", "8-bit GGUF Q8_0", id="widest-that-leaves-a-context"),
        pytest.param("4060 Ti 16GB 能跑 gemma 3 12B 吗", "8 bit 的 GGUF Q8_0", id="gemma-zh"),
        pytest.param("7900 XTX 24GB and Qwen3-32B?", "4-bit GGUF Q4_K_M", id="radeon"),
        pytest.param("can my Arc B580 run Llama 3.1 8B", "8-bit GGUF Q8_0", id="arc"),
        pytest.param("M2 Max 64GB Qwen2.5 72B 能跑吗", "4 bit 的 GGUF Q4_K_M", id="mac-zh"),
        pytest.param("1080ti qwen3 14b", "4-bit GGUF Q4_K_M", id="pascal"),
        pytest.param("4090 Qwen3-30B-A3B", "5-bit GGUF Q5_K_M", id="mixture"),
        pytest.param("2x3090 llama 3.3 70B?", "4-bit GGUF Q4_K_M", id="two-cards"),
        pytest.param("P40 24G QwQ-32B?", "4-bit GGUF Q4_K_M", id="old-card-of-servers"),
        pytest.param("RTX A2000 12GB in my homelab, phi-4?", "4-bit GGUF Q4_K_M", id="small-workstation-card"),
        pytest.param("two 2080 Ti with nvlink, will QwQ 32B run on them", "4-bit GGUF Q4_K_M", id="linked"),
    ],
)
def test_the_best_file_leads(text: str, form: str) -> None:
    _, records, draft = turn(text)
    first = draft.answer.split("\n")[0]
    assert draft.verdict == "fits_with_changes"
    assert form in first
    assert first.index("GGUF") < max(first.find("BF16"), first.find("FP16")), (
        "what nobody runs there comes after what is run"
    )
    assert "okens/s" in first
    assert "context" in first or "上下文" in first
    told = [line for line in draft.answer.split("\n") if form[-6:] in line and "okens/s" in line]
    assert len(told) <= 2, "told once, and of cards in hand"
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


def test_what_is_published_in_fp8_is_tried_in_four_bits_too() -> None:
    first = opening("Can a Mac Studio M3 Ultra 512 run DeepSeek R1?")
    assert "4-bit GGUF Q4_K_M" in first
    assert "GGUF Q8_0 does not fit" in first


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("4090 llama 3.3 70b", "No: even as 4-bit GGUF Q4_K_M"),
        ("我有一张 3060 12G，想跑 QwQ-32B", "不能**。就算用 4 bit 的 GGUF Q4_K_M"),
        ("is one 5080 enough for gemma 2 27b?", "together with host memory"),
    ],
)
def test_a_no_is_a_no_to_four_bits(text: str, said: str) -> None:
    assert said in opening(text)


def test_what_is_ordered_instead_is_counted_in_files() -> None:
    _, _, draft = turn("我有一张 3060 12G，想跑 QwQ-32B")
    ordered = [line for line in draft.answer.split("\n") if line.startswith("- **")]
    assert ordered
    assert all("GGUF" in line for line in ordered)


@pytest.mark.parametrize("text", ["can my 3070 8GB run Gemma 3 12B", "5060 8G 跑 DeepSeek-R1-Distill-Qwen-14B 够吗"])
def test_a_part_of_a_small_model_goes_to_host_memory(text: str) -> None:
    first = opening(text)
    assert "host memory" in first or "加上内存可以跑" in first
    assert "GGUF Q4_K_M" in first


def test_a_shorter_cache_comes_before_fewer_bits() -> None:
    first = opening("3090 QwQ-32B 32k context")
    assert "4-bit GGUF Q4_K_M with its KV cache in Q8_0" in first


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("How fast is Llama 3.1 8B on a 3080 10GB", "GGUF Q8_0"),
        ("4070 12GB Qwen3-14B 最长上下文多少", "GGUF Q4_K_M"),
        ("launch command for Qwen3-14B on my 4070 12GB", "GGUF Q4_K_M"),
    ],
)
def test_other_questions_of_such_a_card_rest_on_files_too(text: str, form: str) -> None:
    assert form in opening(text)


@pytest.mark.parametrize(
    "text", ["Can 2×4090 serve Qwen2.5-32B to 30 users?", "L40S Qwen2.5-72B?", "4 张 3090 能跑 Llama-3.1-70B 吗"]
)
def test_servers_keep_what_their_engines_read(text: str) -> None:
    assert "GGUF" not in opening(text)


def test_a_card_that_holds_what_is_published_is_told_no_file() -> None:
    _, records, draft = turn("4090 Qwen3-8B")
    assert draft.verdict == "fits"
    assert "GGUF" not in draft.answer
    assert sum(one.tool == "estimate_memory" for one in records) == 1


@pytest.mark.parametrize(
    ("text", "card"), [("1060 6G 能跑 gemma 27b 吗", "GTX 1060 6GB"), ("1080 8G qwen3 8b", "GTX 1080")]
)
def test_an_old_card_with_its_memory_is_one_card(text: str, card: str) -> None:
    assert f"1×{card}" in turn(text)[2].answer


@pytest.mark.parametrize(
    ("text", "card"),
    [
        ("M3 Ultra 512 跑 deepseek v3 每秒多少", "apple-m3-ultra-512gb"),
        ("m4 max 128 for qwen3 235b", "apple-m4-max-128gb"),
        ("m1 pro 16gb macbook pro with qwen3 8b", "apple-m1-pro-16gb"),
        ("我 M2 Air 8G 能跑 qwen3 4b 不", "apple-m2-8gb"),
    ],
)
def test_a_mac_is_known_by_the_number_behind_its_chip(text: str, card: str) -> None:
    assert [one.gpu for one in understand(text).need.gpus_owned] == [card]


def test_a_number_of_users_is_no_memory() -> None:
    assert "apple-m4-max-32gb" not in str(understand("m4 max 32 users").need)


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("3070ti laptop 8gb vram: phi4 14b?", "can_it_run"),
        ("4090 vram?", "spec"),
        ("m1 pro 16gb macbook, which llama can i run without it crawling", "what_fits"),
    ],
)
def test_what_is_told_of_a_card_is_not_asked(text: str, intent: str) -> None:
    assert understand(text).need.intent == intent


def test_a_size_before_a_family_is_the_size_in_the_name() -> None:
    assert understand("one 3090 for 27b gemma?").need.model == "google/gemma-3-27b-it"


@pytest.mark.parametrize("text", ["7840HS 核显 64G 内存跑 gpt-oss-20b 可以吗", "780m igpu 32gb ram, qwen3 30b a3b?"])
def test_graphics_of_a_processor_run_from_its_memory(text: str) -> None:
    answer = turn(text)[2].answer
    assert "okens/s" in answer.split("\n")[0]
    assert "H200" not in answer


@pytest.mark.parametrize("text", ["两块 7900xtx 跑 70b 行不行", "can my 3080 run llama 3 8b?"])
def test_no_other_format_stands_beside_the_file(text: str) -> None:
    answer = turn(text)[2].answer
    assert "AWQ" not in answer


def test_the_usual_file_leads_where_one_memory_makes_wide_ones_slow() -> None:
    assert "GGUF Q4_K_M" in opening("how slow would llama 70b be on a 128gb strix halo")


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("do i need more than a 6gb 1660 ti for mistral 7b", "No, it will do"),
        ("is a bigger card than my 3070 needed for qwen3 8b", "No, it will do"),
    ],
)
def test_who_wonders_whether_more_is_needed_is_told_no_where_it_fits(text: str, word: str) -> None:
    assert opening(text).startswith(f"**{word}")


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ("3060 12G + 32G 内存，跑 30b-a3b 速度", "Qwen/Qwen3-30B-A3B"),
        ("235b-a22b 要多少显存", "Qwen/Qwen3-235B-A22B"),
        ("nemotron 3 nano 30b a3b 4090", "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16"),
        ("a 30B chat model on a 4090", None),
    ],
)
def test_both_counts_of_a_mixture_name_it(text: str, model: str | None) -> None:
    assert understand(text).need.model == model


@pytest.mark.parametrize("text", ["公司给配了 4×4090，跑 70b 用啥量化", "单位刚发了两张 4090，跑 32b 用什么量化"])
def test_cards_that_were_handed_out_are_there(text: str) -> None:
    assert [one.gpu for one in understand(text).need.gpus_owned] == ["rtx-4090-24gb"]

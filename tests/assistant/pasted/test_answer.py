"""A message with a set-up is answered by its check, where no language model reads."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant.agent import Advisor
from assistant.pasted import answered
from kb.settings import Settings


@pytest.fixture
def conversing(tmp_path: Path) -> Iterator[Advisor]:
    advisor = Advisor(Settings(home=tmp_path))
    yield advisor
    advisor.conversations.close()


WRONG = """vllm serve Qwen/Qwen3-32B --tensor-parallel-size 3 --max-model-len 65536"""


def text(question: str) -> str:
    answer = answered(question, "c")
    assert answer is not None
    return answer.answer


def test_the_worst_finding_comes_first_with_its_line_fix_and_corrected_line() -> None:
    told = text(f"why does this not start?\n```\n{WRONG}\n```\non 4x A100 80GB")
    first = told.split("\n\n")[0]
    assert "64 attention heads do not divide by a tensor parallelism of 3" in first
    assert "line 3" in first
    assert "40,960" in told
    assert "NVIDIA A100" in told.split("\n\n")[-1]
    block = told.split("```")[1]
    assert "--tensor-parallel-size 2" in block or "--tensor-parallel-size 4" in block
    assert "--max-model-len 40960" in block


def test_it_is_told_in_the_language_of_the_words_beside_it() -> None:
    told = text(f"帮我看看哪里写错了，两张4090\n{WRONG}")
    assert told.startswith("**照这样写跑不起来")
    assert "GeForce RTX 4090" in told


def test_a_memory_in_words_tells_which_card_of_a_log_it_is() -> None:
    log = (
        "llama-server -m Qwen3-14B-Q4_K_M.gguf -ngl 99 -c 65536 -fa on\n"
        "ggml_cuda_init: found 1 CUDA devices:\n  Device 0: NVIDIA GeForce RTX 4060 Ti, compute capability 8.9"
    )
    assert "RTX 4060 Ti 16GB" in text(f"{log}\n\nwhy does it die? 16gb version of the card")


@pytest.mark.parametrize(
    "question",
    [
        "Which GPU do I need for Qwen3-32B with 10 users?",
        "vllm serve Qwen/Qwen3-8B --max-model-len 8192\n\nhow fast is this on a 4090?",
        "3090 跑 Qwen3-32B 4bit 够吗",
    ],
)
def test_what_holds_no_set_up_or_a_sound_one_is_left_to_others(question: str) -> None:
    assert answered(question, "c") is None


def test_secrets_of_a_paste_are_neither_kept_nor_told(conversing: Advisor) -> None:
    secret = "Zq9" * 12
    answer = conversing.ask(f"whats wrong\nHF_TOKEN=hf_{secret} {WRONG} --api-key {secret}")
    assert answer.engine == "pasted"
    assert secret not in answer.model_dump_json()
    assert all(secret not in one.question for one in conversing.conversations.history(answer.conversation_id))


def test_the_advisor_answers_by_it(conversing: Advisor) -> None:
    answer = conversing.ask(f"what is wrong with this on 4x A100 80GB?\n{WRONG}")
    assert (answer.engine, answer.verdict) == ("pasted", "diagnosis")
    assert answer.tool_calls[0].tool == "check_setup"
    assert answer.grounding.numbers == answer.grounding.grounded > 0


def test_what_is_wrong_even_in_the_corrected_lines_is_told() -> None:
    told = text(f"does this run on 2x 4090?\n{WRONG} --quantization awq")
    after = told.split("```")[-1]
    assert "GeForce RTX 4090 has 23.5 GiB" in after


def test_memory_alone_is_a_verdict_of_fit() -> None:
    answer = answered("on 2x 4090:\nvllm serve Qwen/Qwen3-32B --tensor-parallel-size 2 --max-model-len 8192", "c")
    assert answer is not None
    assert answer.verdict == "does_not_fit"

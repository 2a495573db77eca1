"""What the tool tells: lines, corrections, machines, secrets; and that it stays calm."""

import random
import time

import pytest

from tools.check_setup import SetupCheck, SetupRequest, check_setup
from tools.check_setup.expression import holds, tree, worked_out

SCRIPT = (
    "#!/bin/bash\n"
    "# two cards\n"
    "export CUDA_VISIBLE_DEVICES=0,1\n"
    "\n"
    "vllm serve Qwen/Qwen3-8B \\\n"
    "  --tensor-parallel-size 4 \\\n"
    "  --port 8000\n"
)
LOG = (
    "$ llama-server -m Qwen3-14B-Q4_K_M.gguf -ngl 99 -c 98304\n"
    "ggml_cuda_init: found 1 CUDA devices:\n"
    "  Device 0: NVIDIA GeForce RTX 3060, compute capability 8.6, VMM: yes\n"
)


class Given(dict[str, object]):
    """Names of a test."""

    def value(self, name: str) -> object:
        return self.get(name)


def checked(text: str, **fields: object) -> SetupCheck:
    return check_setup(SetupRequest.model_validate({"text": text, **fields}))


def test_a_finding_names_its_line_and_the_corrected_text_keeps_the_rest() -> None:
    found = checked(SCRIPT)
    assert [(one.rule, one.line) for one in found.findings] == [("serve.world-over-cards", 6)]
    assert found.corrected_text == SCRIPT.replace("--tensor-parallel-size 4", "--tensor-parallel-size 2")
    assert not found.remaining


def test_words_around_a_file_do_no_harm() -> None:
    text = (
        "Hi,\nthis dies at once:\n\n"
        "{\n"
        ' "train_micro_batch_size_per_gpu": 2,\n'
        ' "bf16": {"enabled": true},\n'
        ' "fp16": {"enabled": true},\n'
        ' "zero_optimization": {"stage": 2}\n'
        "}\n"
        "\n"
        "what is wrong?"
    )
    found = checked(text)
    assert [(one.rule, one.line) for one in found.findings] == [("deepspeed.bf16-and-fp16", 7)]
    assert found.corrected_text == text.replace('"fp16": {"enabled": true}', '"fp16": {"enabled": false}')


def test_the_card_is_read_from_a_log_beside_the_command() -> None:
    found = checked(LOG)
    assert found.programs[0].cards == "1 × GeForce RTX 3060 12GB"
    assert "local.cache-does-not-fit" in {one.rule for one in found.findings}


def test_a_secret_is_nowhere_in_the_answer() -> None:
    key = "hf_" + "aB3d" * 9
    found = checked(f"HF_TOKEN={key} vllm serve Qwen/Qwen3-8B --tensor-parallel-size 3")
    assert key not in found.model_dump_json()
    assert "env.tokenised-in-clear" in {one.rule for one in found.findings}


def test_prose_is_no_set_up() -> None:
    found = checked("Which card should I buy to run a 70B model for five people?")
    assert (found.verdict, found.would_run, found.findings) == ("not_a_setup", False, ())


def test_what_was_not_said_fires_nothing() -> None:
    assert not holds("tp > 1", Given())
    assert not holds("tp % heads != 0", Given(tp=4))
    assert holds("missing(tp) and (pp or 1) == 1", Given())
    assert worked_out("dividing(28, 8)", Given()) == 7


@pytest.mark.parametrize(
    "text", ["__import__('os')", "(lambda: 1)()", "[x for x in y]", "a.b(1)", "open(*x)", "x := 1"]
)
def test_the_language_of_rules_is_closed(text: str) -> None:
    with pytest.raises(SyntaxError):
        tree(text)


def test_mutilated_set_ups_neither_crash_nor_take_long() -> None:
    draw = random.Random(29)
    base = [
        SCRIPT,
        LOG,
        '{"zero_optimization": {"stage": 2}, "train_batch_size": 8}',
        "services:\n  a:\n    image: vllm/vllm-openai\n",
    ]
    for _ in range(300):
        text = draw.choice(base)
        for _ in range(draw.randint(1, 6)):
            at = draw.randrange(len(text) + 1)
            cut = text[: max(at - draw.randint(0, 9), 0)]
            text = (
                cut + draw.choice(["", "{", "'", '"', "\\\n", "$(", "\x00", "- ", ": ", "&a *a", "𝔸", "\t"]) + text[at:]
            )
        started = time.perf_counter()
        if text.strip():
            checked(text)
        assert time.perf_counter() - started < 5

"""Scripts of a training: made for the very model, and run here on a tiny one of its kind."""

import inspect
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from kb.base import BadInput
from kb.models import models
from kb.programs.launch import launch_facts
from tools.launch.result import LaunchFiles
from tools.registry import tool


def made(**fields: Any) -> LaunchFiles:
    found = tool("make_launch_files").call(fields)
    assert isinstance(found, LaunchFiles)
    return found


def content(found: LaunchFiles, name: str) -> str:
    return next(one.content for one in found.files if one.name == name)


def recipe(found: LaunchFiles) -> dict[str, Any]:
    read = yaml.safe_load(content(found, "recipe.yaml"))
    assert isinstance(read, dict)
    return read


def turns(template: str, **tokens: str) -> str:
    """Messages as a template writes them, in the sandbox that Transformers itself uses."""
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    messages = [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "Because."}]
    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(template).render(messages=messages, **tokens)


@pytest.mark.parametrize(
    ("model", "written"),
    [
        ("huggyllama/llama-13b", "<s>### User:\nWhy?\n\n### Assistant:\nBecause.</s>\n\n"),
        ("EleutherAI/gpt-j-6b", "<s>### User:\nWhy?\n\n### Assistant:\nBecause.</s>\n\n"),
        ("Qwen/Qwen-14B", "<|im_start|>user\nWhy?<|im_end|>\n<|im_start|>assistant\nBecause.<|im_end|>\n"),
        ("lmsys/vicuna-13b-v1.3", "<s>USER: Why? ASSISTANT: Because.</s>"),
        ("baichuan-inc/Baichuan2-13B-Base", "<reserved_106>Why?<reserved_107>Because.</s>"),
    ],
)
def test_a_model_without_a_template_has_its_turns_written_out(model: str, written: str) -> None:
    found = made(model=model, gpu="a100-sxm-80gb", gpu_count=4, task="lora")

    assert turns(recipe(found)["chat_template"], bos_token="<s>", eos_token="</s>") == written
    assert any("has no chat template" in one for one in found.assumptions)


def test_every_way_of_writing_ends_an_answer() -> None:
    facts = launch_facts()
    ends = {name: turns(text, bos_token="", eos_token="</s>").rstrip() for name, text in facts.turns.items()}
    assert all(text.endswith(("</s>", "<|im_end|>")) for text in ends.values()), ends
    assert {row.turns for row in facts.loading} - {None} <= set(facts.turns)
    assert {row.source for row in facts.loading} | {facts.training.large.source} <= set(facts.sources)


@pytest.mark.parametrize("engine", ["accelerate", "llama-factory", "axolotl"])
@pytest.mark.parametrize(("model", "code"), [("baichuan-inc/Baichuan-7B", True), ("Qwen/Qwen2.5-7B-Instruct", False)])
def test_code_of_a_repository_is_run_only_where_the_model_needs_it(engine: str, model: str, code: bool) -> None:
    found = made(model=model, gpu="a100-sxm-80gb", gpu_count=2, task="lora", engine=engine)
    files = {one.name: one.content for one in found.files}
    read = yaml.safe_load(next(files[name] for name in ("recipe.yaml", "train.yaml", "axolotl.yaml") if name in files))

    assert read["trust_remote_code"] is code
    assert any("trust_remote_code" in one for one in found.warnings) is code


def test_every_row_is_about_a_model_that_is_known() -> None:
    """A pattern that meets nothing in the catalog is a slip; so is one that a row before it swallows."""
    names = {name for one in models().values() for name in (one.id, one.chat_id) if name}
    met = {launch_facts().loads(name).model for name in names}
    assert {row.model for row in launch_facts().loading} <= met


def test_no_family_of_the_release_is_taken_for_foreign_code() -> None:
    """Llama, Mistral, Qwen 1.5 and later, Gemma, GLM 4, DeepSeek: their classes are part of Transformers."""
    for name in ("Qwen/Qwen1.5-7B", "Qwen/Qwen3-8B", "google/gemma-2-9b", "deepseek-ai/DeepSeek-V3", "zai-org/GLM-4.5",
                 "meta-llama/Meta-Llama-3-8B", "mistralai/Mistral-7B-v0.1", "openbmb/MiniCPM3-4B"):  # fmt: skip
        assert not launch_facts().loads(name).code, name


@pytest.mark.parametrize(
    ("task", "model", "low", "high"),
    [
        ("lora", "Qwen/Qwen2.5-14B-Instruct", 1e-4, 2e-4),
        ("qlora", "Qwen/Qwen2.5-14B-Instruct", 2e-4, 2e-4),
        ("qlora", "huggyllama/llama-65b", 1e-4, 1e-4),
        ("full_finetune", "Qwen/Qwen2.5-1.5B-Instruct", 1e-5, 2e-5),
    ],
)
def test_the_learning_rate_follows_the_method(task: str, model: str, low: float, high: float) -> None:
    fields = {"model": model, "gpu": "h100-sxm-80gb", "gpu_count": 8, "task": task}
    found = made(**fields)

    assert low <= recipe(found)["learning_rate"] <= high
    assert any("learning rate" in one for one in found.assumptions)
    assert recipe(made(**fields, learning_rate=3e-5))["learning_rate"] == 3e-5


@pytest.mark.parametrize("card", ["v100-sxm2-32gb", "t4-16gb", "rtx-2080-ti-22gb"])
def test_cards_without_bf16_train_in_fp16_with_a_scaled_loss(card: str) -> None:
    found = made(model="Qwen/Qwen2.5-1.5B-Instruct", gpu=card, gpu_count=8, task="lora", sharding="zero3")
    written, read = json.loads(content(found, "deepspeed.json")), recipe(found)

    assert "bf16" not in written
    assert written["fp16"]["enabled"]
    assert written["fp16"]["loss_scale"] == 0  # dynamic
    assert read["fp16"]
    assert "bf16" not in read
    assert read["weights"] == "float16"


@pytest.mark.parametrize(
    ("sharding", "own"), [("ddp", True), ("zero1", True), ("zero2", True), ("zero3", False), ("fsdp", False)]
)
def test_no_process_keeps_the_model_in_host_memory(sharding: str, own: bool) -> None:
    """Whole weights go straight to the card; sharded ones are spread while they load."""
    fields = {"model": "Qwen/Qwen2.5-7B-Instruct", "gpu": "a100-sxm-80gb", "gpu_count": 4, "task": "lora"}
    found = made(**fields, sharding=sharding)

    assert recipe(found)["on_card"] is own
    if sharding == "zero3":
        assert yaml.safe_load(content(found, "accelerate.yaml"))["deepspeed_config"]["zero3_init_flag"]
    if sharding == "fsdp":
        direct = made(**fields, sharding="fsdp", engine="fsdp")
        assert "ACCELERATE_USE_FSDP=true" in content(direct, "run.sh")
        assert yaml.safe_load(content(found, "accelerate.yaml"))["fsdp_config"]["fsdp_cpu_ram_efficient_loading"]


def test_what_was_stated_is_what_is_written() -> None:
    found = made(model="huggyllama/llama-7b", gpu="a100-sxm-80gb", task="lora", micro_batch_size=1, global_batch_size=8,
                 gradient_checkpointing="full", lora_rank=4)  # fmt: skip
    read = recipe(found)

    assert (read["per_device_train_batch_size"], read["gradient_accumulation_steps"]) == (1, 8)
    assert (read["gradient_checkpointing"], read["lora_rank"]) == (True, 4)


def test_the_script_names_only_what_the_releases_have() -> None:
    from peft import LoraConfig, prepare_model_for_kbit_training
    from transformers import BitsAndBytesConfig, DataCollatorForSeq2Seq, Trainer, TrainingArguments

    found = made(model="Qwen/Qwen2.5-7B-Instruct", gpu="rtx-4090", task="qlora", engine="torchrun")
    script, read = content(found, "train.py"), recipe(found)
    fields = {line.split(":")[0].strip() for line in script.split("class Recipe:")[1].split("\n\n")[0].splitlines()}
    assert set(read) - fields <= set(inspect.signature(TrainingArguments).parameters)
    for kind, names in {
        LoraConfig: ("r", "lora_alpha", "target_modules", "task_type"),
        prepare_model_for_kbit_training: ("use_gradient_checkpointing",),
        BitsAndBytesConfig: ("load_in_4bit", "bnb_4bit_quant_type", "bnb_4bit_use_double_quant",
                             "bnb_4bit_compute_dtype", "bnb_4bit_quant_storage"),
        Trainer: ("model", "args", "train_dataset", "data_collator", "processing_class"),
        DataCollatorForSeq2Seq: ("tokenizer",),
    }.items():  # fmt: skip
        assert set(names) <= set(inspect.signature(kind).parameters)
        assert all(f"{name}=" in script for name in names if name != "tokenizer")


TINY = """
import json, sys
from pathlib import Path
from types import SimpleNamespace
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import AutoTokenizer, LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast, Trainer

folder = Path(sys.argv[1])
text = Tokenizer(models.BPE(vocab={chr(n): n for n in range(32, 127)} | {chr(n): n for n in range(32)}, merges=[]))
PreTrainedTokenizerFast(tokenizer_object=text, bos_token="<s>", eos_token="</s>").save_pretrained(folder / "tiny")
sizes = dict(vocab_size=160, hidden_size=16, intermediate_size=32, num_hidden_layers=1, num_attention_heads=2)
LlamaForCausalLM(LlamaConfig(**sizes)).save_pretrained(folder / "tiny")


class Rows(list):
    column_names = ["messages"]

    def map(self, function, remove_columns):
        return Rows(map(function, self))


rows = Rows({"messages": [{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "So."}]} for _ in "ab")
sys.modules["datasets"] = SimpleNamespace(load_dataset=lambda *_, **__: rows)
sys.path.insert(0, str(folder))
import train

assert AutoTokenizer.from_pretrained(folder / "tiny").chat_template is None
seen = []
collate = train.DataCollatorForSeq2Seq.__call__
train.DataCollatorForSeq2Seq.__call__ = lambda self, rows, *more: seen.append(collate(self, rows, *more)) or seen[-1]
sys.argv = ["train.py", str(folder / "recipe.yaml")]
train.main()
saved = AutoTokenizer.from_pretrained(folder / "output")
print(json.dumps({"end": saved.eos_token_id in seen[0]["labels"][0].tolist(), "template": saved.chat_template}))
"""


@pytest.mark.parametrize("task", ["lora", "full_finetune"])
def test_the_script_trains_a_base_model_that_has_no_template(task: str, tmp_path: Path) -> None:
    """A Llama of one layer whose tokenizer has neither template nor padding; the data come from a stand-in."""
    found = made(model="huggyllama/llama-7b", gpu="h100-sxm-80gb", gpu_count=8, task=task, sharding="ddp",
                 offload="none", optimizer="adafactor", gradient_checkpointing="full")  # fmt: skip
    read = recipe(found) | {"model_name_or_path": str(tmp_path / "tiny"), "output_dir": str(tmp_path / "output"),
                            "bf16": False, "use_cpu": True, "weights": "float32", "warmup_steps": 0}  # fmt: skip
    (tmp_path / "recipe.yaml").write_text(yaml.safe_dump(read), encoding="utf-8")
    (tmp_path / "train.py").write_text(content(found, "train.py"), encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-c", TINY, str(tmp_path)], capture_output=True, text=True, check=False, cwd=tmp_path
    )

    assert ran.returncode == 0, ran.stderr[-2000:]
    assert json.loads(ran.stdout.splitlines()[-1]) == {"end": True, "template": read["chat_template"]}


def test_an_agent_may_state_the_rate_and_the_batch_by_either_name() -> None:
    from tools.agent_tools.launching import _trained

    stated = _trained({"micro_batch": "1", "learning_rate": "5e-5"})
    assert _trained({"micro_batch_size": 1, "learning_rate": 5e-5}) == {"micro_batch_size": 1, "learning_rate": "5e-05"}
    read = recipe(made(model="huggyllama/llama-7b", gpu="a100-sxm-80gb", task="lora", **stated))
    assert (read["per_device_train_batch_size"], read["learning_rate"]) == (1, 5e-5)


@pytest.mark.parametrize("nodes", [1, 2])
@pytest.mark.parametrize("engine", ["llama-factory", "accelerate", "axolotl", "fsdp"])
def test_what_the_files_are_said_to_shard_their_start_shards(engine: str, nodes: int) -> None:
    """Started by torchrun alone, LLaMA-Factory would hold a whole copy on every card."""
    asked = {"model": "Qwen/Qwen2.5-72B-Instruct", "gpu": "rtx-4090", "gpu_count": 4, "nodes": nodes, "task": "qlora"}
    found = made(**asked, engine=engine, sharding="fsdp offload", sequence_tokens=512)
    files = {one.name: one.content for one in found.files}

    assert found.sharding == "fsdp"
    told = files.get("accelerate.yaml") or files.get("axolotl.yaml") or files["recipe.yaml"]
    assert re.search(r"(?:offload_params|cpu_offload): true", told)
    assert "accelerate.yaml" not in files or "accelerate launch --config_file accelerate.yaml" in files["run.sh"]
    assert (engine != "llama-factory") == ("llamafactory.launcher train.yaml" not in files["run.sh"])
    assert "FORCE_TORCHRUN" not in files["run.sh"]


@pytest.mark.parametrize("engine", ["llama-factory", "deepspeed", "accelerate"])
def test_offload_said_beside_the_sharding_is_written(engine: str) -> None:
    asked = {"model": "Qwen/Qwen2.5-32B-Instruct", "gpu": "a100-sxm-80gb", "gpu_count": 8, "task": "full_finetune"}
    zero = json.loads(content(made(**asked, engine=engine, sharding="zero3 offload"), "deepspeed.json"))

    assert {"offload_optimizer", "offload_param"} <= set(zero["zero_optimization"])


def test_what_was_changed_to_fit_is_said_first() -> None:
    found = made(model="Qwen/Qwen2.5-32B-Instruct", gpu="a100-sxm-80gb", gpu_count=4, task="full_finetune")
    told = " ".join(found.assumptions[:3])

    assert found.optimizer != "adamw" or "Offloads" in told
    assert found.optimizer == "adamw" or f"optimizer not stated: {found.optimizer}" in told


def test_offload_to_a_drive_is_refused_rather_than_left_out() -> None:
    with pytest.raises(BadInput) as caught:
        made(model="Qwen/Qwen2.5-7B", gpu="rtx-4090", task="full_finetune", sharding="zero3 nvme offload")
    assert caught.value.field == "sharding"


@pytest.mark.parametrize("said", ["adamw pure_bf16", "AdamW, bf16: full", "adamw (pure bf16)"])
def test_no_masters_said_beside_the_optimizer_are_not_written(said: str) -> None:
    asked = {"model": "Qwen/Qwen2.5-7B-Instruct", "gpu": "a100-sxm-80gb", "gpu_count": 8, "task": "full_finetune"}
    read = yaml.safe_load(content(made(**asked, engine="llama-factory", optimizer=said), "train.yaml"))

    assert read["pure_bf16"] is True
    assert "bf16" not in read


def test_eight_bit_states_under_fsdp_2_are_not_those_of_bitsandbytes() -> None:
    asked = {"model": "Qwen/Qwen2.5-7B-Instruct", "gpu": "a100-sxm-80gb", "gpu_count": 4, "task": "full_finetune"}
    names = {}
    for sharding in ("fsdp", "zero3"):
        found = made(**asked, sharding=sharding, optimizer="adamw_8bit")
        names[sharding] = recipe(found)["optim"]
        assert ("torchao" in content(found, "requirements.txt")) is (sharding == "fsdp")

    assert names == {"fsdp": "adamw_torch_8bit", "zero3": "adamw_bnb_8bit"}


@pytest.mark.parametrize(
    ("model", "template"),
    [("Qwen/Qwen-14B-Chat", "qwen"), ("lmsys/vicuna-13b-v1.3", "vicuna"), ("huggyllama/llama-13b", "default"),
     ("Qwen/Qwen2.5-7B-Instruct", "qwen")],
)  # fmt: skip
def test_llama_factory_is_told_a_template_where_the_tokenizer_brings_none(model: str, template: str) -> None:
    found = made(model=model, gpu="a100-sxm-80gb", gpu_count=2, task="lora", engine="llama-factory")

    assert yaml.safe_load(content(found, "train.yaml"))["template"] == template

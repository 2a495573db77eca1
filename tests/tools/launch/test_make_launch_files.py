"""Launch files: computed values, golden files, and the real parsers and schemas that install here."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.base import AdvisorError, BadInput, NothingFits
from kb.catalog import gpu as catalog_gpu
from kb.programs.launch import launch_facts
from tools.launch.result import LaunchFiles
from tools.registry import tool

CASES = Path(__file__).parents[2] / "cases" / "launch"
CONFIGURATIONS: dict[str, dict[str, Any]] = yaml.safe_load((CASES / "configurations.yaml").read_text(encoding="utf-8"))
SCHEMAS: dict[str, Any] = yaml.safe_load((CASES / "schemas.yaml").read_text(encoding="utf-8"))
SHORT = {"model": "llama-3.1-8b", "gpu": "rtx-4090"}


def made(**fields: Any) -> LaunchFiles:
    found = tool("make_launch_files").call(fields)
    assert isinstance(found, LaunchFiles)
    return found


def content(found: LaunchFiles, name: str) -> str:
    return next(one.content for one in found.files if one.name == name)


@pytest.fixture(scope="module", params=sorted(CONFIGURATIONS))
def each(request: pytest.FixtureRequest) -> tuple[str, LaunchFiles]:
    return request.param, made(**CONFIGURATIONS[request.param])


def test_files_are_those_on_record(each: tuple[str, LaunchFiles]) -> None:
    """After a change that is meant, `python tests/cases/launch/write.py` writes them anew; look at the difference."""
    name, found = each
    kept = (CASES / f"{name}.txt").read_text(encoding="utf-8")
    assert "".join(f"=== {one.name}\n{one.content}" for one in found.files if one.name != "train.py") == kept


def test_every_file_parses(each: tuple[str, LaunchFiles]) -> None:
    for one in each[1].files:
        if one.language == "bash":
            checked = subprocess.run(["bash", "-n"], input=one.content, capture_output=True, text=True, check=False)
            assert checked.returncode == 0, checked.stderr
        elif one.language == "yaml":
            assert all(isinstance(part, dict) for part in yaml.safe_load_all(one.content))
        elif one.language == "json":
            assert json.loads(one.content)
        elif one.language == "python":
            compile(one.content, one.name, "exec")


def manifests(found: LaunchFiles) -> list[tuple[str, object]]:
    """Every manifest among the files, with the name of the schema it must keep to."""
    kept: list[tuple[str, object]] = []
    for one in found.files:
        if one.name == "compose.yaml":
            kept.append(("compose", yaml.safe_load(one.content)))
        parts = yaml.safe_load_all(one.content) if one.language == "yaml" else ()
        kept += [(part["kind"], part) for part in parts if "apiVersion" in part]
    return kept


def test_manifests_keep_to_their_schemas(each: tuple[str, LaunchFiles]) -> None:
    for kind, manifest in manifests(each[1]):
        faults = jsonschema.validators.validator_for(SCHEMAS[kind])(SCHEMAS[kind]).iter_errors(manifest)
        assert [fault.message for fault in faults] == [], kind


def test_every_schema_meets_a_manifest() -> None:
    """None of the schemas is there for nothing, so the check above cannot pass on nothing."""
    met = {kind for values in CONFIGURATIONS.values() for kind, _ in manifests(made(**values))}
    assert {"compose", "Deployment", "ScaledObject"} <= met <= set(SCHEMAS)


def test_flags_are_those_of_the_release(each: tuple[str, LaunchFiles]) -> None:
    found = each[1]
    engine = launch_facts().engines.get(found.program)
    if engine is None:
        return
    text = "\n".join(one.content for one in found.files if not one.name.startswith(("acceptance", "job")))
    if found.program == "ollama":
        written = set(re.findall(r"\bOLLAMA_[A-Z_]+", text))
    else:
        written = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", text)) - {"--from-literal"}
    assert written
    assert written <= set(engine.flags)


SBATCH = {
    "account": r"\S+", "cpus-per-task": r"[1-9]\d*", "exclusive": r"", "gpus-per-node": r"([a-z0-9]+:)?[1-9]\d*",
    "job-name": r"[A-Za-z0-9._-]+", "mem": r"\d+[KMGT]?", "nodes": r"[1-9]\d*(-[1-9]\d*)?",
    "ntasks-per-node": r"[1-9]\d*", "output": r"[\w./%-]+", "partition": r"\S+", "time": r"(\d+-)?\d+:\d\d:\d\d",
}  # fmt: skip
"""Options of sbatch(1) and what each takes, as its manual says (man.archlinux.org/man/sbatch.1.en, read 2026-11-21)."""


@pytest.mark.parametrize("fields", [
    pytest.param(SHORT, id="serving"),
    pytest.param({"model": "deepseek-r1", "gpu": "h200-sxm-141gb", "gpu_count": 16, "nodes": 2}, id="two-machines"),
    pytest.param({"model": "qwen2.5-7b", "gpu": "a100-sxm-80gb", "gpu_count": 8, "task": "lora"}, id="training"),
])  # fmt: skip
def test_slurm_jobs_ask_in_the_words_of_sbatchs_manual(fields: dict[str, Any]) -> None:
    found = made(**fields, target="slurm")
    lines = content(found, "job.sbatch").splitlines()
    asked = [line.removeprefix("#SBATCH --").partition("=") for line in lines if line.startswith("#SBATCH")]
    assert lines[0].startswith("#!")
    assert lines[1 : 1 + len(asked)] == [
        line for line in lines if line.startswith("#SBATCH")
    ]  # later ones are not read
    for option, _, value in asked:
        assert re.fullmatch(SBATCH[option], value), option
    options = {option: value for option, _, value in asked}
    assert int(options["gpus-per-node"]) * int(options["nodes"]) == found.gpu_count
    assert "the options of sbatch's manual" in found.checked_with


def with_file(name: str) -> list[LaunchFiles]:
    """The configurations on record that have such a file."""
    every = [made(**fields) for fields in CONFIGURATIONS.values()]
    return [found for found in every if any(one.name == name for one in found.files)]


def test_accelerate_reads_its_configs(tmp_path: Path) -> None:
    from accelerate.commands.config.config_args import load_config_from_file

    path, read = tmp_path / "accelerate.yaml", 0
    for found in with_file("accelerate.yaml"):
        path.write_text(content(found, "accelerate.yaml"), encoding="utf-8")
        config = load_config_from_file(str(path))
        assert (config.num_processes, config.num_machines) == (found.gpu_count, found.nodes)
        read += 1
    assert read >= 3


READ_RECIPES = """
import sys
from types import SimpleNamespace
from transformers import HfArgumentParser, Trainer, TrainingArguments
sys.modules["datasets"] = SimpleNamespace(load_dataset=None)
sys.path.insert(0, sys.argv[1])
import train
parser = HfArgumentParser((train.Recipe, TrainingArguments))
for path in sys.argv[2:]:
    recipe, arguments = parser.parse_yaml_file(path)
    print(recipe.max_tokens, arguments.per_device_train_batch_size, arguments.gradient_accumulation_steps)
"""


def test_transformers_reads_the_recipes(tmp_path: Path) -> None:
    """By the script's own fields, in one process: what the whole Trainer warns of on import is its own affair."""
    paths, expected = [], []
    for number, found in enumerate(with_file("recipe.yaml")):
        recipe = yaml.safe_load(content(found, "recipe.yaml"))
        expected.append(f"{recipe['max_tokens']} {found.micro_batch_size} {found.gradient_accumulation_steps}")
        recipe.pop("deepspeed", None)  # DeepSpeed itself does not install beside this project
        recipe |= {"bf16": False, "fp16": False, "use_cpu": True, "output_dir": str(tmp_path / "output")}
        paths.append(tmp_path / f"recipe-{number}.yaml")
        paths[-1].write_text(yaml.safe_dump(recipe), encoding="utf-8")
        (tmp_path / "train.py").write_text(content(found, "train.py"), encoding="utf-8")
    command = [sys.executable, "-c", READ_RECIPES, str(tmp_path), *map(str, paths)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr[-2000:]
    assert len(paths) >= 6
    assert ran.stdout.splitlines()[-len(paths) :] == expected


def test_accelerate_reads_deepspeeds_files() -> None:
    from accelerate.utils.deepspeed import HfDeepSpeedConfig

    read = 0
    for found in with_file("deepspeed.json"):
        written = json.loads(content(found, "deepspeed.json"))
        jsonschema.validate(written, SCHEMAS["deepspeed"])
        assert written["train_batch_size"] == found.global_batch_size
        each_step = written["train_micro_batch_size_per_gpu"] * written["gradient_accumulation_steps"]
        assert written["train_batch_size"] == each_step * found.gpu_count
        assert HfDeepSpeedConfig(written).is_zero3()
        read += 1
    assert read >= 3


def test_what_is_reserved_holds_what_is_needed(each: tuple[str, LaunchFiles]) -> None:
    found = each[1]
    card = catalog_gpu(found.gpu)
    assert found.per_gpu.total_bytes <= found.usable_bytes
    if found.program == "vllm":
        assert found.memory_ratio is not None
        assert found.per_gpu.total_bytes <= found.memory_ratio * card.memory_bytes
        assert found.memory_ratio * card.memory_bytes <= card.usable_bytes


def test_layout_divides_cards_and_heads(each: tuple[str, LaunchFiles]) -> None:
    found = each[1]
    assert found.tensor_parallel * found.pipeline_parallel * found.data_parallel == found.gpu_count


def test_more_memory_holds_more_requests() -> None:
    small, large = made(**SHORT), made(model="llama-3.1-8b", gpu="h100-sxm-80gb")
    assert (small.concurrent_sequences or 0) < (large.concurrent_sequences or 0)


def test_a_longer_context_holds_fewer_requests() -> None:
    short, long = (made(model="llama-3.1-8b", gpu="h100-sxm-80gb", context_tokens=n) for n in (8192, 65536))
    assert (short.concurrent_sequences or 0) > (long.concurrent_sequences or 0)
    assert "--max-model-len 65536" in content(long, "serve.sh")


def test_what_does_not_fit_is_refused_with_what_would() -> None:
    with pytest.raises(NothingFits) as caught:
        made(model="llama-3.1-405b", gpu="rtx-4090", gpu_count=2)
    assert caught.value.closest


def test_a_checkpoint_nobody_publishes_must_be_set_before_it_starts() -> None:
    found = made(model="falcon-7b", gpu="rtx-4090", weight_format="awq")
    assert found.checkpoint is None
    script = content(found, "serve.sh")
    ran = subprocess.run(
        ["bash"], input=script, capture_output=True, text=True, check=False, env={"PATH": os.environ["PATH"]}
    )
    assert ran.returncode != 0
    assert "MODEL" in ran.stderr


def test_a_stated_checkpoint_is_loaded() -> None:
    found = made(model="llama-3.1-8b", gpu="rtx-4090", weight_format="awq", checkpoint="someone/Llama-3.1-8B-AWQ")
    assert "vllm serve someone/Llama-3.1-8B-AWQ" in content(found, "serve.sh")


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        pytest.param({"checkpoint": "a/b; rm -rf /"}, "checkpoint", id="shell"),
        pytest.param({"checkpoint": "a/$(id)"}, "checkpoint", id="substitution"),
        pytest.param({"checkpoint": "a/b\nimage: evil"}, "checkpoint", id="yaml"),
        pytest.param({"checkpoint": "../../etc/passwd"}, "checkpoint", id="path"),
        pytest.param({"gpu_count": 3, "nodes": 2}, "nodes", id="nodes"),
        pytest.param({"tensor_parallel": 3, "gpu_count": 4}, "tensor_parallel", id="heads"),
        pytest.param({"engine": "axolotl"}, "engine", id="trainer-for-serving"),
        pytest.param({"task": "lora", "engine": "vllm"}, "engine", id="server-for-training"),
        pytest.param({"task": "lora", "target": "kubernetes"}, "target", id="training-in-kubernetes"),
        pytest.param({"engine": "vllm", "weight_format": "gguf:Q4_K_M"}, "weight_format", id="gguf-in-vllm"),
        pytest.param({"gpu_count": 2, "nodes": 2, "target": "docker_compose"}, "nodes", id="compose-over-nodes"),
        pytest.param({"model": "black-forest-labs/FLUX.1-dev"}, "model", id="no-language-model"),
        pytest.param({"gpu": "ascend-910b2-64gb"}, "gpu", id="other-maker"),
    ],
)
def test_what_cannot_be_written_is_refused_naming_the_field(fields: dict[str, Any], field: str) -> None:
    with pytest.raises(BadInput) as caught:
        made(**(SHORT | fields))
    assert caught.value.field == field


def test_llama_cpp_shares_every_layer_when_asked_and_is_told_one_way_to_split() -> None:
    script = content(made(**SHORT, engine="llama.cpp", tensor_parallel=3, gpu_count=4), "serve.sh")
    words = shlex.split(script, comments=True)
    assert words[words.index("-sm") + 1] == "tensor"
    assert words[words.index("-ts") + 1] == "1,1,1,0"  # the same part of each layer, however many layers there are
    assert "--split-mode" not in words


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=60) | st.from_regex(r"[\w.-]{1,20}/[\w.$`;|&-]{1,20}", fullmatch=True))
def test_no_name_injects_anything(name: str) -> None:
    try:
        found = made(**SHORT, checkpoint=name)
    except AdvisorError:
        return
    words = shlex.split(content(found, "serve.sh").replace("\\\n", " "), comments=True)
    assert words[words.index("serve") + 1] == name
    assert re.fullmatch(r"[A-Za-z0-9._/-]+", name)


def test_acceptance_limits_come_from_the_card_and_the_calculators() -> None:
    found = made(model="llama-3.3-70b", gpu="h100-sxm-80gb", gpu_count=8, acceptance=True)
    by_name = {one.name: one for one in found.acceptance}
    assert by_name["cards"].low == 8
    assert by_name["power limit"].low == 700
    assert by_name["all-reduce"].source == "alaya-nccl"
    speed = by_name["throughput"]
    assert speed.low is not None
    assert speed.high is not None
    assert 0 < speed.low < speed.high
    assert {one.name for one in found.files} >= {"acceptance.md", "acceptance.sh"}


def test_every_source_of_the_facts_is_known() -> None:
    facts = launch_facts()
    named = {one.source for one in (*facts.engines.values(), *facts.trainers.values(), *facts.checkpoints)}
    named |= {facts.serving.source, facts.training.source, facts.host.source}
    named |= {one.source for one in facts.acceptance.nccl}
    assert named <= set(facts.sources)
    assert all(one.date for one in facts.sources.values())


@pytest.mark.parametrize(
    "asked",
    [
        pytest.param({"model": "qwen2.5-14b", "task": "lora", "cards": ("l40s-48gb", 2)}, id="lora-2-l40s"),
        pytest.param({"model": "qwen3-8b", "task": "full_finetune", "cards": ("h100-sxm-80gb", 8)}, id="full-8-h100"),
        pytest.param({"model": "gemma-2-9b", "task": "qlora", "cards": ("rtx-4090-24gb", 1)}, id="qlora-4090"),
        pytest.param(
            {"model": "llama-3.1-8b", "task": "full_finetune", "cards": ("a100-sxm-80gb", 4), "samples": 9000,
             "global_batch": 12}, id="a-batch-of-twelve"),
    ],
)  # fmt: skip
def test_a_training_is_laid_out_as_the_search_for_ways_says(asked: dict[str, Any]) -> None:
    card, count = asked["cards"]
    batch = asked.get("global_batch")
    method = {"full_finetune": "full"}.get(asked["task"], asked["task"])
    way = (
        tool("find_ways_to_train")
        .call(
            {
                "model": asked["model"],
                "method": method,
                "cards": [{"gpu": card, "count": count}],
                "global_batch": batch,
                "samples": asked.get("samples"),
            }
        )
        .ways[0]
    )  # type: ignore[attr-defined]
    found = made(model=asked["model"], gpu=card, gpu_count=count, task=asked["task"], samples=asked.get("samples"),
                 global_batch_size=batch)  # fmt: skip

    assert way.cards.count == count
    written = (found.sharding, found.optimizer, found.gradient_checkpointing, found.micro_batch_size,
               found.gradient_accumulation_steps, found.global_batch_size)  # fmt: skip
    assert written == (way.sharding, way.optimizer, way.gradient_checkpointing, way.micro_batch_size, way.accumulation,
                       way.global_batch)  # fmt: skip
    assert abs(found.per_gpu.total_bytes - way.memory.needed_bytes_per_gpu) <= 1  # rounded at other places


def test_the_size_of_the_data_and_the_passes_give_the_steps() -> None:
    found = made(**SHORT, task="qlora", samples=1000, epochs=2, global_batch_size=8)

    assert found.updates == 1000 * 2 / 8
    assert yaml.safe_load(content(found, "recipe.yaml"))["num_train_epochs"] == 2
    short = made(**SHORT, task="qlora", samples=80, global_batch_size=16)
    assert yaml.safe_load(content(short, "recipe.yaml"))["warmup_steps"] == 1  # of five


@pytest.mark.parametrize(
    ("said", "program"),
    [("XTuner", "deepspeed"), ("unsloth", "accelerate"), ("TRL", "accelerate"), ("ms-swift", "llama-factory"),
     ("our own", "accelerate")],
)  # fmt: skip
def test_a_trainer_no_files_are_written_for_gets_those_of_the_nearest_and_is_named(said: str, program: str) -> None:
    found = made(**SHORT, task="qlora", engine=said)

    assert found.program == program
    assert any(said in one for one in found.assumptions)


def test_masters_are_loaded_where_the_model_itself_holds_them() -> None:
    """Mixed precision steps fp32 weights; DeepSpeed keeps its own beside a 16-bit model."""
    fields = {"model": "qwen3-0.6b", "gpu": "h100-sxm-80gb", "gpu_count": 2, "task": "full_finetune"}
    dtypes = {name: yaml.safe_load(content(made(**fields, sharding=name), "recipe.yaml"))["weights"]
              for name in ("ddp", "fsdp", "zero1")}  # fmt: skip

    assert dtypes == {"ddp": "float32", "fsdp": "float32", "zero1": "bfloat16"}

"""Set-ups as units: what starts what, with settings in their places."""

from kb.artifacts import find_artifacts
from kb.artifacts.setups.read import read_setup

COMMAND = (
    "MODEL=Qwen/Qwen3-8B\n"
    "HF_HOME=/d vllm serve $MODEL \\\n"
    "  -tp 2 --max-model-len=32k --no-enable-chunked-prefill # note\n"
)
MANIFEST = (
    "apiVersion: v1\n"
    "kind: Pod\n"
    "spec:\n"
    "  containers:\n"
    "  - name: v\n"
    "    image: vllm/vllm-openai:v0.33.0\n"
    '    args: ["--model", \'a/b\', --tensor-parallel-size, "4"]\n'
    "    resources: {limits: {nvidia.com/gpu: 2}}\n"
    "    livenessProbe: {initialDelaySeconds: 60}\n"
)
JOB = (
    "#!/bin/bash\n"
    "#SBATCH -N 2\n"
    "#SBATCH --gres=gpu:a100:4\n"
    "srun --ntasks-per-node=1 bash -c 'torchrun --nproc_per_node 4 train.py --output_dir o --learning_rate 1e-5'\n"
)


def test_a_command_is_taken_apart_with_its_places() -> None:
    (unit,) = read_setup(COMMAND).units
    assert (unit.program, unit.line, unit.words[0].value) == ("vllm", 2, "Qwen/Qwen3-8B")
    assert {name: one.value for name, one in unit.given.items()} == {
        "tensor_parallel_size": 2, "max_model_len": "32k", "enable_chunked_prefill": False,
    }  # fmt: skip
    one = unit.given["max_model_len"]
    assert (COMMAND[one.start : one.end], one.line) == ("32k", 3)
    assert unit.env["HF_HOME"].value == "/d"


def test_a_manifest_is_a_container_and_what_runs_in_it() -> None:
    pod, server = read_setup(MANIFEST).units
    assert (pod.program, pod.given["gpus"].value, pod.given["liveness_delay_s"].value) == ("pod", 2, 60)
    assert (server.program, server.given["tensor_parallel_size"].value) == ("vllm", 4)
    assert server.within is pod


def test_a_job_starts_a_step_that_starts_a_launcher_that_starts_a_script() -> None:
    units = read_setup(JOB).units
    assert [one.program for one in units] == ["slurm", "srun", "torchrun", "trainer"]
    assert [one.program for one in units[-1].chain()] == ["trainer", "torchrun", "srun", "slurm"]


def test_json_with_a_comment_is_read_and_told() -> None:
    setup = read_setup('{"train_batch_size": 8, // all\n "zero_optimization": {"stage": 2,}}')
    assert setup.broken == ((1, "comment"), (2, "trailing comma"))
    assert setup.units[0].given["zero_optimization_stage"].value == 2


def test_a_pasted_command_is_an_artifact_with_facts() -> None:
    text = f"It dies, why?\n{COMMAND}Thanks."
    (one,) = find_artifacts(text).artifacts
    assert (one.kind, one.family, one.first_line) == ("command", "setup", 2)
    assert (one.get("program"), one.get("tensor_parallel"), one.get("model_named")) == ("vllm", 2, "Qwen/Qwen3-8B")


def test_aliases_of_a_file_are_not_copied() -> None:
    bomb = "a: &a [x, x, x]\n" + "".join(f"b{n}: [*a, *a, *a]\n" for n in range(200)) + "services: {s: {image: i}}\n"
    assert read_setup(bomb).units[0].program == "compose"

"""`make_launch_files`: one configuration in; the files that start it and how to use them out."""

from collections.abc import Iterator

from kb.base import BadInput
from kb.programs import repositories
from kb.programs.launch import launch_facts
from tools.launch import acceptance
from tools.launch.container import compose_file, kubernetes_manifest
from tools.launch.request import LaunchRequest
from tools.launch.result import LaunchFile, LaunchFiles
from tools.launch.serve import ollama_model
from tools.launch.setting import Setting, setting_of
from tools.launch.shell import serve_script, slurm_job
from tools.launch.train import kernels, train_files
from tools.named import vouching

OF_PIP = {"vllm": "vllm", "sglang": "sglang", "llama-factory": "llamafactory", "axolotl": "axolotl"}
"""Programs that are installed by themselves, by the name of their package."""
SERVING_HOURS, TRAINING_HOURS = 24, 48
CHECKED = {
    "bash": "bash -n", "json": "JSON parser", "python": "Python compiler", "docker_compose": "Compose schema",
    "kubernetes": "Kubernetes schemas", "accelerate": "Accelerate's config class",
    "transformers": "TrainingArguments through HfArgumentParser", "deepspeed": "Accelerate's DeepSpeed config class",
    "yaml": "YAML parser", "slurm": "the options of sbatch's manual",
    "flags": "the flags of the release, read from its package",
}  # fmt: skip


def make_launch_files(request: LaunchRequest) -> LaunchFiles:
    """Write the files that start a model on given cards: serving, training, Compose, Kubernetes, Slurm, acceptance.

    Every value is computed for this configuration: memory share, context, sequences at once, micro batch, accumulation,
    ZeRO stage. Set `acceptance` for a test plan of the delivered machine. Refuses a layout that does not fit.
    """
    setting = setting_of(request)
    found = list(_training(setting) if setting.training else _serving(setting))
    tests = acceptance.checks(setting) if request.acceptance and setting.card.vendor == "NVIDIA" else ()
    if request.acceptance and not tests:
        raise BadInput("acceptance", f"the plan's commands are NVIDIA's; the card is {setting.card.vendor}'s.")
    found += acceptance.files(tests) if tests else ()
    fit = setting.estimate.fit
    facts, trainer = launch_facts(), launch_facts().trainers
    release = (
        setting.older or setting.engine.release
        if setting.engine
        else trainer[setting.program if setting.program in trainer else "transformers"].release
    )
    used = [*setting.sources, *vouching(setting.card, ("memory_bytes", "usable_bytes"))]
    used += [one.source for one in tests if one.source]
    named = facts.sources | repositories.sources()
    known = {one.id: one for one in setting.estimate.sources} | named
    return LaunchFiles(
        model=setting.model.id, checkpoint=setting.checkpoint, program=setting.program, release=release,
        target=request.target, gpu=setting.card.id, gpu_count=request.gpu_count, nodes=request.nodes,
        tensor_parallel=setting.tensor, pipeline_parallel=setting.pipeline, data_parallel=setting.data,
        expert_parallel=setting.expert,
        weight_format=setting.form, per_gpu=setting.estimate.per_gpu, usable_bytes=fit.usable_bytes if fit else 0,
        verdict=fit.verdict if fit else "no", context_tokens=setting.context or None,
        concurrent_sequences=setting.sequences * setting.data or None,
        admitted_sequences=setting.slots * setting.data or None, memory_ratio=setting.memory_ratio or None,
        micro_batch_size=setting.micro_batch or None, gradient_accumulation_steps=setting.accumulation or None,
        global_batch_size=setting.micro_batch * setting.accumulation * request.gpu_count or None,
        sharding=setting.sharding if setting.training else None,
        optimizer=setting.request.optimizer if setting.training else None,
        gradient_checkpointing=setting.checkpointing if setting.training else None,
        epochs=(request.epochs or facts.training.epochs) if setting.training else None,
        updates=setting.updates or None, files=tuple(found),
        run=tuple(_run(setting)), checked_with=tuple(_checked(setting, found)), unchecked=tuple(_unchecked(setting)),
        acceptance=tests, derivation=(*setting.steps, *setting.estimate.derivation), assumptions=setting.assumptions,
        warnings=tuple(dict.fromkeys(setting.warnings)),
        sources=tuple(known[key] for key in dict.fromkeys((*used, *known)) if key in known and
                      (key in used or key not in named)),
    )  # fmt: skip


def _serving(setting: Setting) -> Iterator[LaunchFile]:
    target = setting.request.target
    if target == "docker_compose":
        yield LaunchFile(name="compose.yaml", language="yaml", content=compose_file(setting))
    elif target == "kubernetes":
        yield LaunchFile(name=f"{setting.name}.yaml", language="yaml", content=kubernetes_manifest(setting))
    else:
        yield LaunchFile(name="serve.sh", language="bash", content=serve_script(setting))
        if target == "slurm":
            job = slurm_job(setting, "serve.sh", hours=SERVING_HOURS)
            yield LaunchFile(name="job.sbatch", language="bash", content=job)


def _training(setting: Setting) -> Iterator[LaunchFile]:
    target = setting.request.target
    if target not in {"shell", "slurm"}:
        raise BadInput("target", f"training files are written for shell and slurm, not for {target}.",
                       "Choose shell, and run it in a container of your own.")  # fmt: skip
    yield from train_files(setting)
    if target == "slurm":
        job = slurm_job(setting, "run.sh", hours=TRAINING_HOURS)
        yield LaunchFile(name="job.sbatch", language="bash", content=job)


def _run(setting: Setting) -> Iterator[str]:
    target, port = setting.request.target, setting.engine.port if setting.engine else 0
    missing = "MODEL=… " if setting.checkpoint is None else ""
    packages = tuple(_before(setting))
    gated = setting.checkpoint is not None and repositories.is_gated(setting.checkpoint)
    if target == "docker_compose":
        if gated:
            yield "export HF_TOKEN=…  # gated: consent on the model's page first"
        yield f"{missing}docker compose up -d"
        yield "docker compose logs -f"
    elif target == "kubernetes":
        yield "kubectl create secret generic hugging-face --from-literal=token=…  # only for gated models"
        yield f"kubectl apply -f {setting.name}.yaml"
        yield f"kubectl rollout status deployment/{setting.name} --timeout=30m"
        yield f"kubectl port-forward service/{setting.name} {port}:80"
    elif gated:
        yield "hf auth login  # gated: consent on the model's page first"
    if target == "slurm":
        yield from packages
        yield f"{missing}sbatch job.sbatch"
    elif target == "shell" and setting.request.nodes > 1:
        start = "run.sh" if setting.training else "serve.sh"
        yield from packages
        yield f"{missing}NODE_RANK=0 MASTER_ADDR=… bash {start}  # on every machine, with its own rank"
    elif target == "shell":
        yield from packages
        yield f"{missing}bash {'run.sh' if setting.training else 'serve.sh'}"
    if not setting.training and target != "slurm":
        name = setting.model.name if setting.program != "ollama" else ollama_model(setting)
        body = f'{{"model": "{name}", "messages": [{{"role": "user", "content": "Hello"}}]}}'
        yield f"curl http://127.0.0.1:{port}/v1/chat/completions -H 'content-type: application/json' -d '{body}'"


def _before(setting: Setting) -> Iterator[str]:
    """What is installed on each machine, in the release that the files are written for."""
    if setting.program in OF_PIP:
        facts = launch_facts()
        release = setting.older or (setting.engine or facts.trainers[setting.program]).release
        also = " deepspeed" if setting.sharding.startswith("zero") else ""
        if setting.training:
            also += "".join(f" {one}" for one in kernels(setting))
        yield (
            f"pip install {OF_PIP[setting.program]}=={release}{also}"
            if setting.card.vendor == "NVIDIA"
            else (f"# {setting.program} {release}: install its ROCm build")
        )
    elif setting.training:
        yield "pip install -r requirements.txt"


def _checked(setting: Setting, found: list[LaunchFile]) -> Iterator[str]:
    languages = {one.language for one in found}
    yield from (CHECKED[key] for key in ("bash", "json", "python", "yaml") if key in languages)
    if setting.request.target in {"docker_compose", "kubernetes", "slurm"}:
        yield CHECKED[setting.request.target]
    if setting.program in {"vllm", "sglang"}:
        yield CHECKED["flags"]
    names = {one.name for one in found}
    if "recipe.yaml" in names:
        yield CHECKED["transformers"]
    if "accelerate.yaml" in names:
        yield CHECKED["accelerate"]
    if "deepspeed.json" in names:
        yield CHECKED["deepspeed"]


def _unchecked(setting: Setting) -> Iterator[str]:
    """Programs whose own parser does not install beside this project."""
    if setting.program in {"llama.cpp", "ollama", "llama-factory", "axolotl"}:
        yield setting.program
    if setting.sharding.startswith("zero"):
        yield "deepspeed"
    if setting.request.target == "slurm":
        yield "sbatch"

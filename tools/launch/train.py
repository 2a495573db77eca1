"""Files of a training run: a script of Hugging Face's Trainer, or the recipe of LLaMA-Factory or Axolotl."""

import json
from collections.abc import Iterator
from typing import Any

from kb.programs.launch import launch_facts
from tools.launch.container import dumped
from tools.launch.planned import narrow, rate_of
from tools.launch.result import LaunchFile
from tools.launch.script import TRAIN_SCRIPT
from tools.launch.setting import Setting
from tools.launch.shell import HEAD, NEEDS
from tools.ways_to_train.flags import optim_name

OUTPUT = "output"
DATA = "data/train.jsonl"


def train_files(setting: Setting) -> list[LaunchFile]:
    """Every file of the run; `run.sh` starts it, on each machine where there are several."""
    if setting.program == "llama-factory":
        return list(_llama_factory(setting))
    if setting.program == "axolotl":
        return list(_axolotl(setting))
    return list(_transformers(setting))


def _yaml(name: str, content: dict[str, Any]) -> LaunchFile:
    return LaunchFile(name=name, language="yaml", content=dumped(content))


def _deepspeed_file(setting: Setting) -> LaunchFile:
    return LaunchFile(name="deepspeed.json", language="json", content=json.dumps(deepspeed(setting), indent=2) + "\n")


def deepspeed(setting: Setting) -> dict[str, Any]:
    """DeepSpeed's configuration; bucket sizes from the hidden width, as Transformers' own "auto" sets them.

    reduce bucket = hidden², prefetch = 0.9 · hidden², kept parameters = 10 · hidden
    """
    stage = int(setting.sharding.removeprefix("zero")) if setting.sharding.startswith("zero") else 0
    hidden, offload = setting.model.hidden_size or 4096, setting.request.offload
    zero: dict[str, Any] = {
        "stage": stage, "overlap_comm": True, "contiguous_gradients": True, "reduce_bucket_size": hidden * hidden,
    }  # fmt: skip
    if stage == 3:
        zero |= {
            "stage3_prefetch_bucket_size": int(0.9 * hidden * hidden),
            "stage3_param_persistence_threshold": 10 * hidden, "stage3_gather_16bit_weights_on_model_save": True,
        }  # fmt: skip
    if offload in {"optimizer", "all"}:
        zero["offload_optimizer"] = {"device": "cpu", "pin_memory": True}
    if offload == "all" and stage == 3:
        zero["offload_param"] = {"device": "cpu", "pin_memory": True}
    half: dict[str, Any] = {"enabled": True}
    if setting.half == "fp16":  # dynamic scaling of the loss, from 2^16 down: FP16 ends at 65,504 and below 6e-8
        half |= {"loss_scale": 0, "initial_scale_power": 16, "loss_scale_window": 1000, "hysteresis": 2,
                 "min_loss_scale": 1}  # fmt: skip
    if setting.pure:  # or DeepSpeed keeps masters in 32 bits whatever the weights were loaded in
        half |= {"bf16_master_weights_and_grads": True, "bf16_optimizer_states": True}
    return {
        "train_micro_batch_size_per_gpu": setting.micro_batch,
        "gradient_accumulation_steps": setting.accumulation,
        "train_batch_size": setting.micro_batch * setting.accumulation * setting.request.gpu_count,
        "gradient_clipping": 1.0, setting.half: half, "zero_optimization": zero,
    }  # fmt: skip


def _common(setting: Setting) -> dict[str, Any]:
    """Settings that Transformers' TrainingArguments and LLaMA-Factory share."""
    facts, request = launch_facts().training, setting.request
    return {
        "output_dir": OUTPUT,
        "per_device_train_batch_size": setting.micro_batch,
        "gradient_accumulation_steps": setting.accumulation,
        "num_train_epochs": float(request.epochs or facts.epochs),
        "learning_rate": rate_of(request, setting.model),
        "lr_scheduler_type": "cosine",
        "warmup_steps": warmup(setting),
        "max_grad_norm": 1.0,
        "optim": optim_name(request.optimizer or "adamw", setting.sharding),
        setting.half: True,
        "gradient_checkpointing": setting.checkpointing == "full",
        "logging_steps": 10,
        "save_strategy": "epoch",
        "seed": 42,
        "report_to": "none",
    }


def warmup(setting: Setting) -> int:
    """Steps of warming up: the usual number, a tenth of a run that is known to be short."""
    usual = launch_facts().training.warmup_steps
    return max(min(usual, setting.updates // 10), 1) if setting.updates else usual


def _transformers(setting: Setting) -> Iterator[LaunchFile]:
    arguments = _common(setting) | {"remove_unused_columns": False}
    if setting.checkpointing == "full":
        arguments["gradient_checkpointing_kwargs"] = {"use_reentrant": False}
    if setting.sharding == "ddp":
        arguments["ddp_find_unused_parameters"] = False
    recipe = {
        "model_name_or_path": setting.checkpoint, "data_file": DATA, "max_tokens": setting.sequence,
        "method": setting.request.task,
        "lora_rank": setting.request.lora_rank or launch_facts().training.lora_rank,
        "weights": "float32" if _masters_in_model(setting) else "bfloat16" if setting.half == "bf16" else "float16",
    }  # fmt: skip
    zero = setting.sharding.startswith("zero")
    direct = setting.program in {"torchrun", "deepspeed"} or (setting.program == "fsdp")
    if zero and direct:
        arguments["deepspeed"] = "deepspeed.json"
    if setting.sharding == "fsdp" and direct:
        arguments |= {"fsdp": True, "fsdp_config": fsdp(setting)}
    yield _yaml("recipe.yaml", recipe | arguments | _loaded(setting))
    if zero:
        yield _deepspeed_file(setting)
    if setting.program == "accelerate":
        yield _yaml("accelerate.yaml", accelerate(setting))
    # TrainingArguments alone does not say so before the model loads, and every process would read it whole.
    alone = "fsdp" in arguments
    variables = "export ACCELERATE_USE_FSDP=true FSDP_CPU_RAM_EFFICIENT_LOADING=true\n" if alone else ""
    yield _run(_start(setting), variables=variables)
    yield LaunchFile(name="requirements.txt", language="text", content=requirements(setting))
    yield LaunchFile(name="train.py", language="python", content=TRAIN_SCRIPT)


def _loaded(setting: Setting) -> dict[str, Any]:
    """How the script loads this very model and its tokenizer.

    Sharded weights are spread while they load (ZeRO-3 and FSDP from the first process); others go straight to each
    process's own card, so that no process keeps a copy in host memory.
    """
    facts = launch_facts()
    found = facts.loads(setting.model.id)
    return {
        "loader": "image-text" if setting.model.kind == "vlm" and not found.code else "causal",
        "trust_remote_code": found.code, "on_card": setting.sharding not in {"zero3", "fsdp"},
        "widen": setting.model.native_format if narrow(setting.model) else "",
        "chat_template": facts.turns[found.turns or "plain"], "end_token": found.end, "pad_token": found.pad,
    }  # fmt: skip


def requirements(setting: Setting) -> str:
    """Packages of the script, in the releases that it is written for."""
    trainers, adapted = launch_facts().trainers, setting.request.task != "full_finetune"
    names = [f"{name}=={trainers[name].release}" for name in ("transformers", "accelerate")] + ["datasets"]
    names += [f"peft=={trainers['peft'].release}"] if adapted else []
    names += kernels(setting)
    names += ["deepspeed"] if setting.sharding.startswith("zero") else []
    return "\n".join((*names, *launch_facts().loads(setting.model.id).needs)) + "\n"


def kernels(setting: Setting) -> list[str]:
    """Packages of the kernels for a four-bit base and for states of eight bits."""
    name = optim_name(setting.request.optimizer or "adamw", setting.sharding)
    found = ["bitsandbytes"] if setting.request.task == "qlora" or ("8bit" in name and "torch" not in name) else []
    return found + (["torchao"] if name == "adamw_torch_8bit" else [])


def _masters_in_model(setting: Setting) -> bool:
    """Whether the model itself holds the fp32 weights of mixed precision; under ZeRO DeepSpeed keeps them apart."""
    trained = setting.request.task == "full_finetune"
    return trained and not setting.pure and not setting.sharding.startswith("zero")


def fsdp(setting: Setting) -> dict[str, Any]:
    """FSDP 2 as TrainingArguments takes it."""
    return {
        "version": 2, "reshard_after_forward": True, "auto_wrap_policy": "TRANSFORMER_BASED_WRAP",
        "state_dict_type": "SHARDED_STATE_DICT", "cpu_ram_efficient_loading": True,
        "cpu_offload": setting.request.offload == "all",
    }  # fmt: skip


def accelerate(setting: Setting) -> dict[str, Any]:
    """Accelerate's config file; the machine's rank and the first one's address come from the command line."""
    kinds = {"fsdp": "FSDP", "ddp": "MULTI_GPU"}
    zero = setting.sharding.startswith("zero")
    found: dict[str, Any] = {
        "compute_environment": "LOCAL_MACHINE",
        "distributed_type": "DEEPSPEED" if zero else kinds.get(setting.sharding, "NO"),
        "mixed_precision": "no" if setting.pure else setting.half, "num_machines": setting.request.nodes,
        "num_processes": setting.request.gpu_count, "main_training_function": "main", "rdzv_backend": "static",
        "same_network": True, "use_cpu": False,
    }  # fmt: skip
    if zero:
        found["deepspeed_config"] = {"deepspeed_config_file": "deepspeed.json", "zero3_init_flag": True}
        del found["mixed_precision"]
    if setting.sharding == "fsdp":
        found["fsdp_config"] = {
            "fsdp_version": 2, "fsdp_reshard_after_forward": True,
            "fsdp_auto_wrap_policy": "TRANSFORMER_BASED_WRAP", "fsdp_state_dict_type": "SHARDED_STATE_DICT",
            "fsdp_cpu_ram_efficient_loading": True, "fsdp_offload_params": setting.request.offload == "all",
        }  # fmt: skip
    return found


def _start(setting: Setting) -> str:
    if setting.program == "accelerate":
        return _accelerated(setting) + " train.py recipe.yaml"
    return _torchrun(setting, setting.per_node) + " train.py recipe.yaml"


def _accelerated(setting: Setting) -> str:
    where = ' --machine_rank "$NODE_RANK" --main_process_ip "$MASTER_ADDR" --main_process_port 29500'
    return "accelerate launch --config_file accelerate.yaml" + (where if setting.request.nodes > 1 else "")


def _torchrun(setting: Setting, count: int) -> str:
    if setting.request.nodes == 1:
        return f"torchrun --standalone --nproc-per-node {count}"
    return (
        f'torchrun --nnodes {setting.request.nodes} --nproc-per-node {count} --node-rank "$NODE_RANK" '
        '--rdzv-backend static --master-addr "$MASTER_ADDR" --master-port 29500'
    )


def _run(start: str, *, variables: str = "") -> LaunchFile:
    needs = NEEDS if "NODE_RANK" in start + variables else ""
    memory = "export PYTORCH_ALLOC_CONF=expandable_segments:True\n"
    return LaunchFile(name="run.sh", language="bash", content=HEAD + needs + variables + memory + f"exec {start}\n")


def template(setting: Setting) -> dict[str, str]:
    """LLaMA-Factory's chat template by name; nothing where it lists none: then the tokenizer's own counts."""
    found = launch_facts().template(setting.checkpoint or setting.model.id, setting.model.family)
    return {"template": found} if found else {}


def _llama_factory(setting: Setting) -> Iterator[LaunchFile]:
    request = setting.request
    recipe: dict[str, Any] = {
        "model_name_or_path": setting.checkpoint, "trust_remote_code": launch_facts().loads(setting.model.id).code,
        "stage": "sft", "do_train": True,
        "finetuning_type": "full" if request.task == "full_finetune" else "lora",
    }  # fmt: skip
    if request.task != "full_finetune":
        rank = request.lora_rank or launch_facts().training.lora_rank
        recipe |= {"lora_rank": rank, "lora_alpha": 2 * rank, "lora_target": "all"}
    if request.task == "qlora":
        recipe |= {"quantization_bit": 4, "quantization_method": "bnb"}
    recipe |= {
        "dataset": "train", "dataset_dir": "data", **template(setting), "cutoff_len": setting.sequence,
        "preprocessing_num_workers": 8,
    }  # fmt: skip
    common = _common(setting)
    common.pop("gradient_checkpointing")  # its own switch works the other way round
    if setting.pure:
        common["pure_bf16"] = common.pop("bf16")
    recipe |= common | {"disable_gradient_checkpointing": setting.checkpointing != "full"}
    if setting.sharding.startswith("zero"):
        recipe["deepspeed"] = "deepspeed.json"
        yield _deepspeed_file(setting)
    yield _yaml("train.yaml", recipe)
    columns = {"file_name": "train.jsonl", "formatting": "sharegpt", "columns": {"messages": "messages"},
               "tags": {"role_tag": "role", "content_tag": "content", "user_tag": "user", "assistant_tag": "assistant",
                        "system_tag": "system"}}  # fmt: skip
    yield LaunchFile(
        name="data/dataset_info.json", language="json", content=json.dumps({"train": columns}, indent=2) + "\n"
    )
    if setting.sharding == "fsdp":
        # llamafactory-cli starts torchrun itself, which knows nothing of FSDP: every card would hold a whole copy.
        yield _yaml("accelerate.yaml", accelerate(setting))
        yield _run(_accelerated(setting) + " --module llamafactory.launcher train.yaml")
        return
    variables = "export FORCE_TORCHRUN=1\n"
    if setting.request.nodes > 1:
        variables += (
            f'export NNODES={request.nodes} NODE_RANK="$NODE_RANK" MASTER_ADDR="$MASTER_ADDR" MASTER_PORT=29500\n'
        )
    yield _run("llamafactory-cli train train.yaml", variables=variables)


def _axolotl(setting: Setting) -> Iterator[LaunchFile]:
    request, facts = setting.request, launch_facts().training
    loads = launch_facts().loads(setting.model.id)
    recipe: dict[str, Any] = {"base_model": setting.checkpoint, "trust_remote_code": loads.code}
    named = {"eos_token": loads.end, "pad_token": loads.pad}
    if any(named.values()):
        recipe["special_tokens"] = named
    if loads.turns:
        recipe |= {"chat_template": "jinja", "chat_template_jinja": launch_facts().turns[loads.turns]}
    if request.task != "full_finetune":
        rank = request.lora_rank or facts.lora_rank
        recipe |= {
            "adapter": request.task, "load_in_4bit": request.task == "qlora", "lora_r": rank, "lora_alpha": 2 * rank,
            "lora_dropout": 0.0, "lora_target_linear": True,
        }  # fmt: skip
    recipe |= {
        "datasets": [{"path": DATA, "ds_type": "json", "type": "chat_template", "field_messages": "messages"}],
        "sequence_len": setting.sequence, "sample_packing": True, "micro_batch_size": setting.micro_batch,
        "gradient_accumulation_steps": setting.accumulation, "num_epochs": float(request.epochs or facts.epochs),
        "learning_rate": rate_of(request, setting.model),
        "lr_scheduler": "cosine", "warmup_steps": warmup(setting),
        "optimizer": optim_name(request.optimizer or "adamw", setting.sharding),
        setting.half: "full" if setting.pure else True, "gradient_checkpointing": setting.checkpointing == "full",
        "logging_steps": 10, "saves_per_epoch": 1, "output_dir": OUTPUT, "seed": 42,
        "attn_implementation": "flash_attention_2" if setting.half == "bf16" else "sdpa",
    }  # fmt: skip
    if setting.sharding.startswith("zero"):
        recipe["deepspeed"] = "deepspeed.json"
        yield _deepspeed_file(setting)
    elif setting.sharding == "fsdp":
        recipe |= {
            "fsdp_version": 2,
            "fsdp_config": {
                "reshard_after_forward": True, "auto_wrap_policy": "TRANSFORMER_BASED_WRAP",
                "state_dict_type": "SHARDED_STATE_DICT", "offload_params": request.offload == "all",
                "cpu_ram_efficient_loading": True,
            },
        }  # fmt: skip
    yield _yaml("axolotl.yaml", recipe)
    yield _run(_torchrun(setting, setting.per_node) + " -m axolotl.cli.train axolotl.yaml")

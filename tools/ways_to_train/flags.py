"""Settings of a way under the names that trainers use: LLaMA-Factory, TRL, DeepSpeed, Accelerate.

Every name and value is one that the release in `kb/artifacts/setups/known` takes; a test holds it to that.
"""

import math
from typing import Any

from kb.models import models
from kb.programs.launch import launch_facts
from tools.memory.companions import reserved, split_over
from tools.memory.diffusion import swapped_ratio
from tools.training_time.macs import is_mac
from tools.ways_to_train.grids import GRID
from tools.ways_to_train.grids import flags as grid_flags
from tools.ways_to_train.pace import accumulation
from tools.ways_to_train.plan import LAYERS, Plan, working
from tools.ways_to_train.problem import Problem
from tools.ways_to_train.weigh import Weighed

OPTIMIZERS = {"adamw": "adamw_torch_fused", "adamw_8bit": "adamw_bnb_8bit", "paged_adamw_8bit": "paged_adamw_8bit",
              "adafactor": "adafactor"}  # fmt: skip
"""Names that Transformers' `optim` has for them."""
SHARDED_OPTIMIZERS = {"adamw_8bit": "adamw_torch_8bit", "paged_adamw_8bit": "adamw_torch_8bit"}
"""The same under FSDP 2, whose shards the kernels of bitsandbytes do not take; torchao's do.

Source: Axolotl, `check_fsdp2_w_8bit_optimizer` (https://github.com/axolotl-ai-cloud/axolotl/blob/main/src/axolotl/utils/schemas/validation.py).
"""
STAGES = {"sft": "sft", "dpo": "dpo", "ppo": "ppo", "pretrain": "pt"}
"""LLaMA-Factory's `stage`; it has none for grpo and for pictures."""
OTHERS_OWN = ("axolotl",)
"""Trainers with a configuration of their own, which LLaMA-Factory's is none of."""
AXOLOTL = ("sft", "dpo", "pretrain")
UNSLOTH_SETS = ("gradient_checkpointing", "peft", "bitsandbytes", "use_liger_kernel", "model_init_kwargs")
"""What Unsloth sets when it loads and adapts the model, and a fused loss that it brings itself."""
TRAINERS = {"sft": "SFTTrainer", "pretrain": "SFTTrainer", "dpo": "DPOTrainer", "grpo": "GRPOTrainer"}
"""TRL's trainers; the release that was read has none for PPO."""
TARGETS = {"qv": ("q_proj", "v_proj"), "attention": ("q_proj", "k_proj", "v_proj", "o_proj")}
"""Matrices with adapters; all linear ones where it is neither. PEFT reads several in one string as a pattern."""
MLX_OPTIMIZERS = {"adamw": "adamw", "adafactor": "adafactor"}
KOHYA_OPTIMIZERS = {"adamw": "AdamW", "adamw_8bit": "AdamW8bit", "paged_adamw_8bit": "PagedAdamW8bit",
                    "adafactor": "Adafactor"}  # fmt: skip
DIFFUSERS_OPTIMIZERS = ("adamw", "adamw_8bit")
"""Those that the example scripts of Diffusers have; sd-scripts has the others."""


def optim_name(optimizer: str, sharding: str) -> str:
    """The optimizer as Transformers' `optim` calls it where weights are spread like this."""
    return (SHARDED_OPTIMIZERS if sharding == "fsdp" else {}).get(optimizer) or OPTIMIZERS[optimizer]


def flags_of(problem: Problem, one: Weighed) -> dict[str, Any]:
    """Settings by program; only programs that run such a way."""
    if problem.pictures:
        plain = one.plan.offload != "all" and one.plan.optimizer in DIFFUSERS_OPTIMIZERS
        return {"diffusers": _diffusers(problem, one)} if plain else {"kohya": _kohya(problem, one)}
    found: dict[str, Any] = {}
    if is_mac(one.plan.group.gpu):
        return {"mlx_lm.lora": _mlx(problem, one)}
    if one.plan.sharding == GRID:
        steps = accumulation(problem, one)
        batch = one.micro * steps * working(one.plan)
        return {"megatron_lm": grid_flags(one.plan.grid, one.micro, batch, problem.sequence,
                                          recomputed=one.plan.checkpointing != "none")}  # fmt: skip
    if one.plan.engine == "unsloth":
        return _with_unsloth(problem, one)
    if problem.goal in STAGES and problem.engine not in OTHERS_OWN and takes_pure(one.plan):
        found["llama_factory"] = _llama_factory(problem, one)
    if problem.engine == "axolotl" and problem.goal in AXOLOTL:
        found["axolotl"] = _axolotl(problem, one)
    elif problem.goal in TRAINERS:
        found["trl"] = {"trainer": TRAINERS[problem.goal]} | _trl(problem, one)
    if one.plan.sharding.startswith("zero"):
        found["deepspeed"] = deepspeed(one.plan)
    if one.plan.sharding == "fsdp" and "axolotl" not in found:
        found["accelerate"] = fsdp(one.plan)
    return found


def takes_pure(plan: Plan) -> bool:
    """Whether LLaMA-Factory can be told: it refuses `pure_bf16` with ZeRO-3."""
    return plan.precision != "bf16_pure" or plan.sharding != "zero3"


def _with_unsloth(problem: Problem, one: Weighed) -> dict[str, Any]:
    """Unsloth loads and adapts the model itself, and recomputes in its own way; TRL's trainer runs it."""
    plan = one.plan
    own: dict[str, Any] = {
        "from_pretrained": {"max_seq_length": problem.sequence, "load_in_4bit": plan.task == "qlora",
                            "full_finetuning": not plan.adapted},
    }  # fmt: skip
    if plan.adapted:
        own["get_peft_model"] = {
            "r": one.work.lora_rank, "lora_alpha": 2 * one.work.lora_rank, "target_modules": _modules(one),
            "use_gradient_checkpointing": "unsloth" if plan.checkpointing == "full" else False,
        }  # fmt: skip
    found: dict[str, Any] = {"unsloth": own}
    if problem.goal in TRAINERS:
        shared = _trl(problem, one)
        kept = {key: value for key, value in shared.items() if key not in UNSLOTH_SETS}
        found["trl"] = {"trainer": TRAINERS[problem.goal]} | kept
    return found


def _mlx(problem: Problem, one: Weighed) -> dict[str, Any]:
    """Options of `mlx_lm.lora`; a base is four bit where the model that is named is: `mlx_lm.convert` writes one."""
    plan, known = one.plan, models().get(one.work.shape.id or "")
    settings: dict[str, Any] = {
        "--train": True, "--fine-tune-type": "lora" if plan.adapted else "full", "--batch-size": one.micro,
        "--max-seq-length": problem.sequence, "--num-layers": -1,
        "--optimizer": MLX_OPTIMIZERS.get(plan.optimizer, "adamw"),
    }  # fmt: skip
    if (steps := accumulation(problem, one)) > 1:
        settings["--grad-accumulation-steps"] = steps
    if plan.checkpointing == "full":
        settings["--grad-checkpoint"] = True
    if plan.task == "qlora":
        settings["--model"] = "mlx_model (mlx_lm.convert -q --hf-path …)"
    elif known is not None:
        settings["--model"] = known.chat_id or known.id
    return settings


def _axolotl(problem: Problem, one: Weighed) -> dict[str, Any]:
    plan = one.plan
    settings: dict[str, Any] = {
        "sequence_len": problem.sequence, "micro_batch_size": one.micro,
        "gradient_accumulation_steps": accumulation(problem, one),
        "optimizer": optim_name(plan.optimizer, plan.sharding),
        "gradient_checkpointing": plan.checkpointing == "full",
        "fp16" if plan.precision == "fp16" else "bf16": "full" if plan.precision == "bf16_pure" else True,
    }  # fmt: skip
    if problem.goal == "dpo":
        settings["rl"] = "dpo"
    if plan.adapted:
        settings |= {"adapter": plan.task, "lora_r": one.work.lora_rank, "lora_alpha": 2 * one.work.lora_rank}
        named = TARGETS.get(one.work.lora_targets or "")
        settings |= {"lora_target_modules": list(named)} if named else {"lora_target_linear": True}
    if plan.task == "qlora":
        settings["load_in_4bit"] = True
    if plan.sharding.startswith("zero"):
        settings["deepspeed"] = "deepspeed.json"
    if plan.sharding == "fsdp":
        shards = {name.removeprefix("fsdp_"): value for name, value in _fsdp(plan).items()}
        settings |= {"fsdp_version": shards.pop("version"), "fsdp_config": shards}
    if one.work.fused_loss:
        settings["plugins"] = ["axolotl.integrations.liger.LigerPlugin"]
        settings["liger_fused_linear_cross_entropy"] = True
    return settings


def _common(problem: Problem, one: Weighed) -> dict[str, Any]:
    plan = one.plan
    half = "fp16" if plan.precision == "fp16" else "bf16"
    return {
        "per_device_train_batch_size": one.micro, "gradient_accumulation_steps": accumulation(problem, one),
        "optim": optim_name(plan.optimizer, plan.sharding), half: True,
    }  # fmt: skip


def _trl(problem: Problem, one: Weighed) -> dict[str, Any]:
    plan = one.plan
    settings = _common(problem, one) | {"gradient_checkpointing": plan.checkpointing == "full"}
    loaded = {"dtype": "bfloat16"} if plan.precision == "bf16_pure" else {}
    loaded |= {"device_map": "auto"} if plan.sharding == LAYERS else {}
    if loaded:
        settings["model_init_kwargs"] = loaded
    if problem.goal == "grpo":
        settings["max_completion_length"] = problem.output
        settings |= {"num_generations": one.work.generations, "use_vllm": True, "vllm_mode": "colocate"}
        if steps := _generating_steps(problem, one):
            settings["steps_per_generation"] = steps
        if ratio := reserved(one.phase)[1]:
            settings["vllm_gpu_memory_utilization"] = ratio
        if (shared := split_over(one.phase)) > 1:
            settings["vllm_tensor_parallel_size"] = shared
    else:
        settings["max_length"] = problem.sequence
    if plan.adapted:
        settings["peft"] = {"r": one.work.lora_rank, "lora_alpha": 2 * one.work.lora_rank,
                            "target_modules": _modules(one)}  # fmt: skip
    if plan.task == "qlora":
        kind = "float16" if plan.precision == "fp16" else "bfloat16"  # what is left out is computed in 32 bits
        settings["bitsandbytes"] = {"load_in_4bit": True, "bnb_4bit_quant_type": "nf4",
                                    "bnb_4bit_use_double_quant": one.work.format.name == "nf4_dq",
                                    "bnb_4bit_compute_dtype": kind, "bnb_4bit_quant_storage": kind}  # fmt: skip
    if one.work.fused_loss:
        settings["use_liger_kernel"] = True
    return settings


def _generating_steps(problem: Problem, one: Weighed) -> int | None:
    """Micro-batches that TRL generates for at once; null where those of an update will do.

    micro · cards · steps must be a multiple of the answers to a prompt, or GRPOConfig refuses:
    steps = answers / gcd(answers, micro · cards), and the next multiple of it from the accumulation on.
    """
    each, steps = one.micro * one.plan.count, accumulation(problem, one)
    if each * steps % one.work.generations == 0:
        return None
    least = one.work.generations // math.gcd(one.work.generations, each)
    return math.ceil(steps / least) * least


def _modules(one: Weighed) -> list[str] | str:
    """Matrices with adapters as PEFT takes them."""
    named = TARGETS.get(one.work.lora_targets or "")
    return list(named) if named else "all-linear"


def _llama_factory(problem: Problem, one: Weighed) -> dict[str, Any]:
    plan, known = one.plan, models().get(one.work.shape.id or "")
    settings: dict[str, Any] = {}
    if known is not None:
        name = known.id if problem.goal == "pretrain" else known.chat_id or known.id
        settings["model_name_or_path"] = name
        if template := launch_facts().template(name, known.family):
            settings["template"] = template
    settings |= {
        "stage": STAGES[problem.goal], "finetuning_type": "lora" if plan.adapted else "full",
        "cutoff_len": problem.sequence,
    } | _common(problem, one)  # fmt: skip
    if problem.goal == "ppo":
        settings["reward_model"] = "PATH"  # refused without one
    settings["disable_gradient_checkpointing"] = plan.checkpointing == "none"
    if plan.adapted:
        named = TARGETS.get(one.work.lora_targets or "", ("all",))
        settings |= {"lora_rank": one.work.lora_rank, "lora_target": ",".join(named)}
    if plan.task == "qlora":
        settings |= {"quantization_bit": 4, "quantization_method": "bnb",
                     "double_quantization": one.work.format.name == "nf4_dq"}  # fmt: skip
    if plan.precision == "bf16_pure":
        settings |= {"pure_bf16": True}
        settings.pop("bf16", None)
    if plan.sharding.startswith("zero"):
        settings["deepspeed"] = "deepspeed.json"
    if one.work.fused_loss:
        settings["enable_liger_kernel"] = True
    return settings


def deepspeed(plan: Plan) -> dict[str, Any]:
    """DeepSpeed's configuration, as far as the way decides it."""
    stage = int(plan.sharding.removeprefix("zero"))
    zero: dict[str, Any] = {"stage": stage, "overlap_comm": True, "contiguous_gradients": True}
    if plan.offload in ("optimizer", "all"):
        zero["offload_optimizer"] = {"device": "cpu", "pin_memory": True}
    if plan.offload == "all" and stage == 3:
        zero["offload_param"] = {"device": "cpu", "pin_memory": True}
    if plan.offload == "nvme":
        drive = {"device": "nvme", "nvme_path": "/local_nvme", "pin_memory": True}
        zero |= {"offload_optimizer": {**drive, "buffer_count": 4}, "offload_param": {**drive, "buffer_count": 5}}
    found: dict[str, Any] = {
        "train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": "auto",
        "bf16": {"enabled": plan.precision != "fp16"}, "fp16": {"enabled": plan.precision == "fp16"},
        "zero_optimization": zero,
    }  # fmt: skip
    if plan.precision == "bf16_pure":  # or DeepSpeed keeps masters in 32 bits whatever the weights were loaded in
        found["bf16"] |= {"bf16_master_weights_and_grads": True, "bf16_optimizer_states": True}
    if plan.optimizer != "adamw":
        found["zero_allow_untested_optimizer"] = True
    return found


def fsdp(plan: Plan) -> dict[str, Any]:
    """Accelerate's configuration for FSDP: it refuses a file with the inner keys at the top."""
    return {"distributed_type": "FSDP", "fsdp_config": _fsdp(plan)}


def _fsdp(plan: Plan) -> dict[str, Any]:
    return {
        "fsdp_version": 2, "fsdp_reshard_after_forward": True,
        "fsdp_auto_wrap_policy": "TRANSFORMER_BASED_WRAP", "fsdp_offload_params": plan.offload == "all",
        "fsdp_cpu_ram_efficient_loading": True, "fsdp_state_dict_type": "SHARDED_STATE_DICT",
    }  # fmt: skip


def _drawn(problem: Problem, one: Weighed) -> dict[str, Any]:
    """What the scripts of Diffusers and sd-scripts call alike."""
    plan = one.plan
    settings: dict[str, Any] = {
        "train_batch_size": one.micro, "gradient_accumulation_steps": accumulation(problem, one),
        "gradient_checkpointing": plan.checkpointing == "full",
        "mixed_precision": "fp16" if plan.precision == "fp16" else "bf16",
    }  # fmt: skip
    if one.work.width:
        settings["resolution"] = one.work.width
    return settings


def _diffusers(problem: Problem, one: Weighed) -> dict[str, Any]:
    """Options that every DreamBooth script has; keeping latents is not one of them."""
    settings = _drawn(problem, one) | {"use_8bit_adam": one.plan.optimizer == "adamw_8bit"}
    if one.plan.adapted:
        settings["rank"] = one.work.lora_rank
    return settings


def _kohya(problem: Problem, one: Weighed) -> dict[str, Any]:
    """Options of sd-scripts, which swaps blocks to the host and has the other optimizers."""
    settings = _drawn(problem, one) | {
        "cache_latents": True, "optimizer_type": KOHYA_OPTIMIZERS[one.plan.optimizer],
    }  # fmt: skip
    if one.plan.adapted:
        settings["network_dim"] = one.work.lora_rank
    if one.plan.offload == "all":
        settings["blocks_to_swap"] = math.ceil(max(one.work.shape.layers, 20) * swapped_ratio(one.work))
    return settings

"""Settings of a way under the names that trainers use: LLaMA-Factory, TRL, DeepSpeed, Accelerate."""

import math
from typing import Any

from tools.memory.companions import reserved
from tools.memory.diffusion import swapped_ratio
from tools.training_time.macs import is_mac
from tools.ways_to_train.pace import accumulation
from tools.ways_to_train.plan import LAYERS, Plan
from tools.ways_to_train.problem import Problem
from tools.ways_to_train.weigh import Weighed

OPTIMIZERS = {"adamw": "adamw_torch_fused", "adamw_8bit": "adamw_bnb_8bit", "paged_adamw_8bit": "paged_adamw_8bit",
              "adafactor": "adafactor"}  # fmt: skip
"""Names that Transformers' `optim` has for them."""
STAGES = {"sft": "sft", "dpo": "dpo", "ppo": "ppo", "pretrain": "pt"}
"""LLaMA-Factory's `stage`; it has none for grpo and for pictures."""
OTHERS_OWN = ("axolotl",)
"""Trainers with a configuration of their own, which LLaMA-Factory's is none of."""
AXOLOTL = ("sft", "dpo", "pretrain")
UNSLOTH_SETS = ("gradient_checkpointing", "peft", "bitsandbytes", "use_liger_kernel", "model_init_kwargs")
"""What Unsloth sets when it loads and adapts the model, and a fused loss that it brings itself."""
TRAINERS = {"sft": "SFTTrainer", "pretrain": "SFTTrainer", "dpo": "DPOTrainer", "grpo": "GRPOTrainer",
            "ppo": "PPOTrainer"}  # fmt: skip


def flags_of(problem: Problem, one: Weighed) -> dict[str, Any]:
    """Settings by program; only programs that run such a way."""
    if problem.pictures:
        return {"diffusers": _pictures(problem, one)}
    found: dict[str, Any] = {}
    if is_mac(one.plan.group.gpu):
        return {"mlx_lm.lora": _mlx(problem, one)}
    if one.plan.engine == "unsloth":
        return _with_unsloth(problem, one)
    if problem.goal in STAGES and problem.engine not in OTHERS_OWN:
        found["llama_factory"] = _llama_factory(problem, one)
    if problem.engine == "axolotl" and problem.goal in AXOLOTL:
        found["axolotl"] = _axolotl(problem, one)
    elif problem.goal in TRAINERS:
        found["trl"] = {"trainer": TRAINERS[problem.goal]} | _trl(problem, one)
    if one.plan.sharding.startswith("zero"):
        found["deepspeed"] = deepspeed(one.plan)
    if one.plan.sharding == "fsdp":
        found["accelerate"] = fsdp(one.plan)
    return found


def _with_unsloth(problem: Problem, one: Weighed) -> dict[str, Any]:
    """Unsloth loads and adapts the model itself, and recomputes in its own way; TRL's trainer runs it."""
    plan = one.plan
    own: dict[str, Any] = {
        "from_pretrained": {"max_seq_length": problem.sequence, "load_in_4bit": plan.task == "qlora",
                            "full_finetuning": not plan.adapted},
    }  # fmt: skip
    if plan.adapted:
        own["get_peft_model"] = {
            "r": one.work.lora_rank, "lora_alpha": 2 * one.work.lora_rank, "target_modules": _targets(one),
            "use_gradient_checkpointing": "unsloth" if plan.checkpointing == "full" else False,
        }  # fmt: skip
    found: dict[str, Any] = {"unsloth": own}
    if problem.goal in TRAINERS:
        shared = _trl(problem, one)
        kept = {key: value for key, value in shared.items() if key not in UNSLOTH_SETS}
        found["trl"] = {"trainer": TRAINERS[problem.goal]} | kept
    return found


def _mlx(problem: Problem, one: Weighed) -> dict[str, Any]:
    """Options of `mlx_lm.lora`; a base is four bit where the model that is named is."""
    plan = one.plan
    return {
        "--train": True, "--fine-tune-type": "lora" if plan.adapted else "full", "--batch-size": one.micro,
        "--max-seq-length": problem.sequence, "--num-layers": -1, "--grad-checkpoint": plan.checkpointing == "full",
        "--model": "4-bit conversion (mlx_lm.convert -q)" if plan.task == "qlora" else "16-bit weights",
    }  # fmt: skip


def _axolotl(problem: Problem, one: Weighed) -> dict[str, Any]:
    plan = one.plan
    settings: dict[str, Any] = {
        "sequence_len": problem.sequence, "micro_batch_size": one.micro,
        "gradient_accumulation_steps": accumulation(problem, one), "optimizer": OPTIMIZERS[plan.optimizer],
        "gradient_checkpointing": plan.checkpointing == "full",
        "fp16" if plan.precision == "fp16" else "bf16": True,
    }  # fmt: skip
    if problem.goal == "dpo":
        settings["rl"] = "dpo"
    if plan.adapted:
        settings |= {"adapter": plan.task, "lora_r": one.work.lora_rank, "lora_alpha": 2 * one.work.lora_rank}
        targets = _targets(one)
        settings |= {"lora_target_linear": True} if targets == "all" else {"lora_target_modules": targets.split(",")}
    if plan.task == "qlora":
        settings["load_in_4bit"] = True
    if plan.sharding.startswith("zero"):
        settings["deepspeed"] = "deepspeed.json"
    if one.work.fused_loss:
        settings["plugins"] = ["axolotl.integrations.liger.LigerPlugin"]
        settings["liger_fused_linear_cross_entropy"] = True
    return settings


def _common(problem: Problem, one: Weighed) -> dict[str, Any]:
    plan = one.plan
    half = "fp16" if plan.precision == "fp16" else "bf16"
    return {
        "per_device_train_batch_size": one.micro, "gradient_accumulation_steps": accumulation(problem, one),
        "optim": OPTIMIZERS[plan.optimizer], half: True,
    }  # fmt: skip


def _trl(problem: Problem, one: Weighed) -> dict[str, Any]:
    plan = one.plan
    settings = _common(problem, one) | {"gradient_checkpointing": plan.checkpointing == "full"}
    if plan.precision == "bf16_pure":
        settings["model_init_kwargs"] = {"torch_dtype": "bfloat16"}
    if plan.sharding == LAYERS:
        settings["model_init_kwargs"] = {"device_map": "auto"}
    length = {"grpo": "max_completion_length", "ppo": "response_length"}.get(problem.goal, "max_length")
    settings[length] = problem.output if problem.goal in ("grpo", "ppo") else problem.sequence
    if problem.goal == "grpo":
        settings |= {"num_generations": one.work.generations, "use_vllm": True, "vllm_mode": "colocate"}
        if ratio := reserved(one.phase)[1]:
            settings["vllm_gpu_memory_utilization"] = ratio
    if plan.adapted:
        settings["peft"] = {"r": one.work.lora_rank, "lora_alpha": 2 * one.work.lora_rank,
                            "target_modules": _targets(one).replace("all", "all-linear")}  # fmt: skip
    if plan.task == "qlora":
        settings["bitsandbytes"] = {"load_in_4bit": True, "bnb_4bit_quant_type": "nf4",
                                    "bnb_4bit_use_double_quant": one.work.format.name == "nf4_dq",
                                    "bnb_4bit_quant_storage": "bfloat16"}  # fmt: skip
    if one.work.fused_loss:
        settings["use_liger_kernel"] = True
    return settings


def _targets(one: Weighed) -> str:
    """Matrices with adapters: all, or attention's, as of a mixture."""
    return {"qv": "q_proj,v_proj", "attention": "q_proj,k_proj,v_proj,o_proj"}.get(one.work.lora_targets, "all")


def _llama_factory(problem: Problem, one: Weighed) -> dict[str, Any]:
    plan = one.plan
    settings = {
        "stage": STAGES[problem.goal], "finetuning_type": "lora" if plan.adapted else "full",
        "cutoff_len": problem.sequence,
    } | _common(problem, one)  # fmt: skip
    settings["disable_gradient_checkpointing"] = plan.checkpointing == "none"
    if plan.adapted:
        settings |= {"lora_rank": one.work.lora_rank, "lora_target": _targets(one)}
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
    if plan.optimizer != "adamw":
        found["zero_allow_untested_optimizer"] = True
    return found


def fsdp(plan: Plan) -> dict[str, Any]:
    """Accelerate's settings for FSDP."""
    return {
        "distributed_type": "FSDP", "fsdp_version": 2, "fsdp_reshard_after_forward": True,
        "fsdp_auto_wrap_policy": "TRANSFORMER_BASED_WRAP", "fsdp_offload_params": plan.offload == "all",
        "fsdp_cpu_ram_efficient_loading": True, "fsdp_state_dict_type": "SHARDED_STATE_DICT",
    }  # fmt: skip


def _pictures(problem: Problem, one: Weighed) -> dict[str, Any]:
    plan = one.plan
    settings: dict[str, Any] = {
        "train_batch_size": one.micro, "gradient_accumulation_steps": accumulation(problem, one),
        "gradient_checkpointing": plan.checkpointing == "full", "cache_latents": True,
        "mixed_precision": "fp16" if plan.precision == "fp16" else "bf16",
        "use_8bit_adam": plan.optimizer in ("adamw_8bit", "paged_adamw_8bit"),
    }  # fmt: skip
    if one.work.width:
        settings["resolution"] = one.work.width
    if plan.adapted:
        settings["rank"] = one.work.lora_rank
    if plan.offload == "all":
        settings["blocks_to_swap"] = math.ceil(max(one.work.shape.layers, 20) * swapped_ratio(one.work))
    return settings

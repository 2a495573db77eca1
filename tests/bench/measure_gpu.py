"""Measure real training steps and generation on a CUDA card, over randomly initialised models of real shapes.

    python tests/bench/measure_gpu.py OUT.yaml [--first N]

Every trial runs in a process of its own, so that none inherits another's memory. Rows come in the shape of
`tests/cases/memory.yaml`: what the allocator had in use, what it had reserved, and what the driver reports.
Without a CUDA card it says so, lists the trials, and ends with status 1.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import torch
import transformers
import yaml
from oracle import ARCHITECTURES, TARGETS, Architecture, config_of, empty
from peft import LoraConfig, get_peft_model

from tools.memory.request import MemoryRequest

SMALL = (
    Architecture("Qwen/Qwen3-1.7B", "Qwen3Config"),
    Architecture("Qwen/Qwen3-4B", "Qwen3Config"),
    Architecture("meta-llama/Llama-3.2-3B", "LlamaConfig"),
    Architecture("Qwen/Qwen2.5-1.5B", "Qwen2Config"),
    Architecture("google/gemma-2-2b", "Gemma2Config"),
)
BY_ID = {architecture.id: architecture for architecture in (*ARCHITECTURES, *SMALL)}
TRAINED = (
    "meta-llama/Llama-3.2-1B", "meta-llama/Llama-3.2-3B", "meta-llama/Meta-Llama-3.1-8B", "Qwen/Qwen2.5-1.5B",
    "Qwen/Qwen2.5-7B", "Qwen/Qwen3-1.7B", "Qwen/Qwen3-8B", "google/gemma-2-2b",
)  # fmt: skip
SERVED = (*TRAINED, "Qwen/Qwen3-4B", "mistralai/Mistral-7B-v0.1")
CHUNK = 256
"""Tokens fed at once after the prompt, in place of single ones: the cache grows the same way."""


class Trial(NamedTuple):
    """One run to measure."""

    model: str
    task: str
    tokens: int
    """Of a training sample, or of the context served."""
    batch: int = 1
    checkpointing: bool = False
    precision: str = "bf16_pure"
    targets: str = "all_linear"

    @property
    def request(self) -> dict[str, Any]:
        """The same as a request."""
        if self.task == "inference":
            return {
                "model": self.model, "engine": "transformers", "weight_format": "bf16", "context_tokens": self.tokens,
                "concurrent_sequences": self.batch, "attention": "flash",
            }  # fmt: skip
        fields: dict[str, Any] = {
            "model": self.model, "task": self.task, "engine": "transformers", "precision": self.precision,
            "micro_batch_size": self.batch, "sequence_tokens": self.tokens, "optimizer": "adamw",
            "gradient_checkpointing": self.checkpointing, "attention": "flash",
        }  # fmt: skip
        if self.task == "lora":
            fields |= {"lora_rank": 16, "lora_targets": self.targets, "weight_format": "bf16"}
        return fields


def _trials() -> tuple[Trial, ...]:
    found = [
        Trial(model, task, tokens, batch, checkpointing)
        for model in TRAINED
        for task in ("full_finetune", "lora")
        for tokens, batch, checkpointing in ((1024, 1, False), (2048, 4, True), (8192, 1, True))
    ]
    found += [Trial(model, "full_finetune", 2048, 1, True, "bf16") for model in TRAINED]
    found += [Trial(model, "lora", 2048, 2, False, targets="qv") for model in TRAINED]
    found += [Trial(model, "inference", tokens, batch) for model in SERVED for tokens, batch in ((2048, 1), (8192, 8))]
    return tuple(found)


TRIALS = _trials()


def built(trial: Trial) -> Any:
    """The trial's model on the meta device, adapters on, trained parameters in their precision."""
    model: Any = empty(config_of(BY_ID[trial.model], attention="sdpa" if "gemma-2" not in trial.model else "eager"))
    if trial.task == "lora":
        adapters = LoraConfig(r=16, target_modules=TARGETS[trial.targets])
        model = get_peft_model(model, adapters, autocast_adapter_dtype=False).to(torch.bfloat16)
    if trial.task != "inference" and trial.precision == "bf16":
        model = model.float()
    return model


def on_card(model: Any) -> Any:
    """The model on the card, with random weights; a table shared by input and head stays shared."""
    model = model.to_empty(device="cuda")
    base = model.get_base_model() if hasattr(model, "get_base_model") else model
    if base.config.tie_word_embeddings:
        base.get_output_embeddings().weight = base.get_input_embeddings().weight
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(std=0.02)
    return model


def train(trial: Trial) -> None:
    """Two steps: the second finds optimizer states and a warm allocator."""
    model = on_card(built(trial)).train()
    if trial.checkpointing:
        model.gradient_checkpointing_enable({"use_reentrant": False})
        model.enable_input_require_grads()
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(trained, fused=True)
    for _ in range(2):
        ids = torch.randint(0, model.config.vocab_size, (trial.batch, trial.tokens), device="cuda")
        with torch.autocast("cuda", torch.bfloat16, enabled=trial.precision == "bf16"):
            loss = model(input_ids=ids, labels=ids, use_cache=False).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


@torch.inference_mode()
def serve(trial: Trial) -> None:
    """Half the context as prompt (2,048 tokens at most), the rest after it."""
    model = on_card(built(trial)).eval()
    cache = transformers.DynamicCache(config=model.config)
    prompt = min(trial.tokens // 2, 2048)
    for start, length in [(0, prompt), *((at, CHUNK) for at in range(prompt, trial.tokens, CHUNK))]:
        ids = torch.randint(0, model.config.vocab_size, (trial.batch, min(length, trial.tokens - start)), device="cuda")
        model(input_ids=ids, past_key_values=cache, use_cache=True, logits_to_keep=1)


def rows_of(trial: Trial, measured: dict[str, int]) -> list[dict[str, Any]]:
    """The trial's measurements as rows of `tests/cases`."""
    kind = "inference_peak" if trial.task == "inference" else trial.task
    return [
        {"class": kind, "part": part, "bytes": size, "grade": "A", "request": trial.request}
        for part, size in measured.items()
    ]


def measured_here(trial: Trial) -> dict[str, int]:
    """Run the trial in this process and read the meters."""
    (serve if trial.task == "inference" else train)(trial)
    torch.cuda.synchronize()
    free, total = torch.cuda.mem_get_info()
    return {
        "allocated": torch.cuda.max_memory_allocated(),
        "reserved": torch.cuda.max_memory_reserved(),
        "total": total - free,
    }


def measured_apart(index: int) -> dict[str, int] | None:
    """Run one trial in a process of its own; nothing when it does not fit or fails."""
    command = [sys.executable, __file__, "--trial", str(index)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode:
        print(f"  failed: {run.stderr.strip().splitlines()[-1][:200] if run.stderr.strip() else run.returncode}")
        return None
    answer: dict[str, int] = json.loads(run.stdout.splitlines()[-1])
    return answer


def main(arguments: list[str] | None = None) -> int:
    """Measure every trial and write the rows after each, so that an end before time loses nothing."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("out", nargs="?", type=Path, default=Path("measured.yaml"))
    parser.add_argument("--first", type=int, default=len(TRIALS), help="only so many trials")
    parser.add_argument("--trial", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if not torch.cuda.is_available():
        print(f"No CUDA card here: nothing is measured. {len(TRIALS)} trials wait for one.")
        return 1
    if options.trial is not None:
        print(json.dumps(measured_here(TRIALS[options.trial])))
        return 0
    name = torch.cuda.get_device_name()
    rows: list[dict[str, Any]] = []
    for index, trial in enumerate(TRIALS[: options.first]):
        MemoryRequest.model_validate(trial.request)
        print(f"{index + 1}/{len(TRIALS)} {trial}", flush=True)
        if (measured := measured_apart(index)) is not None:
            rows += rows_of(trial, measured)
            group = {"source": f"own measurements on {name}", "runs": rows}
            options.out.write_text(yaml.safe_dump([group], sort_keys=False), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

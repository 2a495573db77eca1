"""The training script that goes with recipes of Hugging Face's Trainer."""

TRAIN_SCRIPT = '''"""Fine-tune a language model on chat messages: python train.py recipe.yaml

Data: one JSON object a line, {"messages": [{"role": "user", "content": "..."}, {"role": "assistant", ...}]}.
Needs: torch, transformers, accelerate, datasets; peft for lora and qlora; bitsandbytes for qlora.
"""

import sys
from dataclasses import dataclass

import torch
from datasets import load_dataset
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    DataCollatorForLanguageModeling,
    HfArgumentParser,
    Trainer,
    TrainingArguments,
)


@dataclass
class Recipe:
    model_name_or_path: str
    data_file: str
    max_tokens: int
    method: str
    lora_rank: int
    weights: str


def load_model(recipe, arguments):
    kind = torch.bfloat16 if arguments.bf16 else torch.float16
    options = {"dtype": getattr(torch, recipe.weights), "attn_implementation": "sdpa"}
    if recipe.method == "qlora":
        from transformers import BitsAndBytesConfig

        options["quantization_config"] = BitsAndBytesConfig(
            load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_use_double_quant=True,
            bnb_4bit_compute_dtype=kind, bnb_4bit_quant_storage=kind,
        )
    model = AutoModelForCausalLM.from_pretrained(recipe.model_name_or_path, **options)
    model.config.use_cache = False
    if recipe.method in ("lora", "qlora"):
        from peft import LoraConfig, get_peft_model, prepare_model_for_kbit_training

        if recipe.method == "qlora":
            model = prepare_model_for_kbit_training(model, use_gradient_checkpointing=arguments.gradient_checkpointing)
        model.enable_input_require_grads()
        adapter = LoraConfig(
            r=recipe.lora_rank, lora_alpha=2 * recipe.lora_rank, target_modules="all-linear", task_type="CAUSAL_LM"
        )
        model = get_peft_model(model, adapter)
    return model


def main():
    recipe, arguments = HfArgumentParser((Recipe, TrainingArguments)).parse_yaml_file(sys.argv[1])
    tokenizer = AutoTokenizer.from_pretrained(recipe.model_name_or_path)
    tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token

    def encode(row):
        text = tokenizer.apply_chat_template(row["messages"], tokenize=False)
        return tokenizer(text, truncation=True, max_length=recipe.max_tokens, add_special_tokens=False)

    data = load_dataset("json", data_files=recipe.data_file, split="train")
    with arguments.main_process_first():
        data = data.map(encode, remove_columns=data.column_names)
    trainer = Trainer(
        model=load_model(recipe, arguments),
        args=arguments,
        train_dataset=data,
        data_collator=DataCollatorForLanguageModeling(tokenizer, mlm=False),
        processing_class=tokenizer,
    )
    trainer.train()
    trainer.save_model()


if __name__ == "__main__":
    main()
'''

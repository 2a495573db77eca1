"""The training script that goes with recipes of Hugging Face's Trainer."""

TRAIN_SCRIPT = '''"""Fine-tune a language model on chat messages: python train.py recipe.yaml

Data: one JSON object a line, {"messages": [{"role": "user", "content": "..."}, {"role": "assistant", ...}]}.
Packages: requirements.txt, and torch.
"""

import sys
from dataclasses import dataclass

import torch
from datasets import load_dataset
from transformers import (
    AutoModelForCausalLM,
    AutoModelForImageTextToText,
    AutoTokenizer,
    DataCollatorForSeq2Seq,
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
    loader: str  # causal, or image-text for models that also see
    trust_remote_code: bool  # whether the class lies in the model's own repository
    widen: str  # format of a quantised checkpoint that is widened to 16 bits while loading
    on_card: bool  # each process loads onto its own card; false where the weights are sharded while loading
    chat_template: str  # how messages are written where the tokenizer has no template; saved with it
    end_token: str  # where the tokenizer names none
    pad_token: str


def load_model(recipe, arguments):
    kind = torch.bfloat16 if arguments.bf16 else torch.float16
    options = {"dtype": getattr(torch, recipe.weights), "trust_remote_code": recipe.trust_remote_code}
    if not recipe.trust_remote_code:
        options["attn_implementation"] = "sdpa"  # code in a repository has an attention of its own
    if recipe.on_card and torch.cuda.is_available():
        options["device_map"] = {"": arguments.local_process_index}  # no copy of the weights in host memory
    if recipe.method == "qlora":
        from transformers import BitsAndBytesConfig

        options["quantization_config"] = BitsAndBytesConfig(
            load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_use_double_quant=True,
            bnb_4bit_compute_dtype=kind, bnb_4bit_quant_storage=kind,
        )
    elif recipe.widen:
        from transformers import FineGrainedFP8Config, Mxfp4Config

        kinds = {"mxfp4": Mxfp4Config, "fp8": FineGrainedFP8Config}
        options["quantization_config"] = kinds[recipe.widen](dequantize=True)
    loader = AutoModelForImageTextToText if recipe.loader == "image-text" else AutoModelForCausalLM
    model = loader.from_pretrained(recipe.model_name_or_path, **options)
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


def load_tokenizer(recipe):
    named = {"eos_token": recipe.end_token, "pad_token": recipe.pad_token}
    tokenizer = AutoTokenizer.from_pretrained(
        recipe.model_name_or_path, trust_remote_code=recipe.trust_remote_code,
        **{name: token for name, token in named.items() if token},
    )
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    if not tokenizer.chat_template:
        tokenizer.chat_template = recipe.chat_template
    return tokenizer


def main():
    recipe, arguments = HfArgumentParser((Recipe, TrainingArguments)).parse_yaml_file(sys.argv[1])
    tokenizer = load_tokenizer(recipe)

    def encode(row):
        text = tokenizer.apply_chat_template(row["messages"], tokenize=False)
        tokens = dict(tokenizer(text, truncation=True, max_length=recipe.max_tokens, add_special_tokens=False))
        # Labels of its own: padding is often the end token, which would otherwise be left out and never learnt.
        return tokens | {"labels": list(tokens["input_ids"])}

    data = load_dataset("json", data_files=recipe.data_file, split="train")
    with arguments.main_process_first():
        data = data.map(encode, remove_columns=data.column_names)
    trainer = Trainer(
        model=load_model(recipe, arguments),
        args=arguments,
        train_dataset=data,
        data_collator=DataCollatorForSeq2Seq(tokenizer),
        processing_class=tokenizer,
    )
    trainer.train()
    trainer.save_model()


if __name__ == "__main__":
    main()
'''

"""Read the options of programs from their unpacked packages: kind and default beside the names that are kept.

    python tests/bench/read_options.py FOLDER             what the table lacks or has otherwise
    python tests/bench/read_options.py FOLDER --write     the table, filled up

FOLDER holds one folder a package with its wheel unpacked (`pip download --no-deps`, `unzip`). Nothing is imported:
classes, functions and calls are read from the syntax tree. Existing names stay; only their kind and default are filled
in, and what `SPECS` names is read whole.
"""

import ast
import csv
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

TABLE = Path(__file__).parents[2] / "kb" / "artifacts" / "setups" / "known" / "options.csv"
KINDS = {"int": "whole", "float": "number"}
ZERO = "deepspeed/deepspeed/runtime/zero"
SCRIPT = "examples/dreambooth/train_dreambooth_lora_flux.py"


class Spec(NamedTuple):
    """Where the options of a program stand: a file below FOLDER and, in it, a class, a function, or calls."""

    program: str
    file: str
    within: str = ""
    """`Class`, `Class.method` or `function`; empty = every `add_argument` or `click.option` of the file."""
    before: str = ""
    """What stands before each name: `fsdp_config_`."""


SPECS = (
    Spec("mlx-lora", "mlx_lm/mlx_lm/lora.py"),
    Spec("unsloth-load", "unsloth/unsloth/models/loader.py", "FastLanguageModel.from_pretrained"),
    Spec("unsloth-adapt", "unsloth/unsloth/models/llama.py", "FastLlamaModel.get_peft_model"),
    Spec("peft-lora", "peft/peft/tuners/lora/config.py", "LoraConfig"),
    Spec("bitsandbytes", "transformers/transformers/utils/quantization_config.py", "BitsAndBytesConfig.__init__"),
    Spec("accelerate-config", "accelerate/accelerate/commands/config/config_args.py", "BaseConfig"),
    Spec("accelerate-config", "accelerate/accelerate/commands/config/config_args.py", "ClusterConfig"),
    Spec("deepspeed-config", f"{ZERO}/config.py", "DeepSpeedZeroConfig", "zero_optimization_"),
    Spec("deepspeed-config", f"{ZERO}/offload_config.py", "DeepSpeedZeroOffloadParamConfig",
         "zero_optimization_offload_param_"),
    Spec("deepspeed-config", f"{ZERO}/offload_config.py", "DeepSpeedZeroOffloadOptimizerConfig",
         "zero_optimization_offload_optimizer_"),
    Spec("deepspeed-config", "deepspeed/deepspeed/runtime/precision_config.py", "DeepSpeedFP16Config", "fp16_"),
    Spec("deepspeed-config", "deepspeed/deepspeed/runtime/precision_config.py", "DeepSpeedBF16Config", "bf16_"),
    Spec("axolotl-fsdp", "axolotl/axolotl/utils/schemas/fsdp.py", "FSDPConfig"),
    Spec("diffusers", f"diffusers-examples/{SCRIPT}"),
    Spec("kohya", "sd-scripts/library/train_util.py"),
    Spec("kohya", "sd-scripts/train_network.py"),
)  # fmt: skip
FILLED = {
    "vllm": "vllm/vllm", "sglang": "sglang/sglang/srt", "transformers": "transformers/transformers/training_args.py",
    "trl": "trl/trl/trainer", "llamafactory": "llamafactory/llamafactory/hparams",
    "axolotl": "axolotl/axolotl/utils/schemas", "swift": "ms_swift/swift",
}  # fmt: skip
"""Programs whose names are kept: where classes state their kinds."""


class Row(NamedTuple):
    """One option."""

    program: str
    name: str
    written: str
    takes: str
    default: str


def _kind(annotation: ast.expr | None, default: ast.expr | None) -> str:
    """What a field takes by its annotation, else by its default."""
    text = ast.unparse(annotation) if annotation else ""
    parts = {part.strip() for part in text.replace("Optional[", "").replace("]", "").split("|")} - {"None"}
    if parts and parts <= {"int", "PositiveInt", "NonNegativeInt"}:
        return "whole"
    if parts and parts <= {"int", "float"}:
        return "number"
    if parts == {"bool"}:
        return "switch"
    if not text and isinstance(default, ast.Constant) and isinstance(default.value, bool):
        return "switch"
    return "value"


def _constant(node: ast.expr | None) -> str:
    """A default that is written out; empty where it is worked out or None."""
    if isinstance(node, ast.Call):
        inner = next((one.value for one in node.keywords if one.arg == "default"), None)
        return _constant(inner or (node.args[0] if node.args else None))
    if isinstance(node, ast.Constant) and node.value is not None and node.value is not ...:
        return str(node.value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant):
        return ast.unparse(node)
    return ""


def _found(tree: ast.AST, within: str) -> ast.AST:
    node = tree
    for part in within.split("."):
        node = next(one for one in ast.walk(node) if getattr(one, "name", None) == part)
    return node


def fields(node: ast.ClassDef) -> Iterator[tuple[str, str, str]]:
    """(name, kind, default) of a class's annotated fields; an alias counts as the name."""
    for one in node.body:
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name) and one.target.id[0] != "_":
            alias = next((key.value for key in getattr(one.value, "keywords", ()) if key.arg == "alias"), None)
            name = alias.value if isinstance(alias, ast.Constant) else one.target.id
            yield str(name), _kind(one.annotation, one.value), _constant(one.value)


def _parameters(node: ast.FunctionDef) -> Iterator[tuple[str, str, str]]:
    taken = node.args.args + node.args.kwonlyargs
    values = [None] * (len(node.args.args) - len(node.args.defaults)) + list(node.args.defaults) + node.args.kw_defaults
    for one, value in zip(taken, values, strict=True):
        if one.arg not in {"self", "cls", "model", "kwargs"}:
            yield one.arg, _kind(one.annotation, value), _constant(value)


def _calls(tree: ast.AST) -> Iterator[tuple[str, str, str]]:
    """(spellings, kind or choices, default) of every argument of a parser."""
    for one in ast.walk(tree):
        if isinstance(one, ast.Call) and getattr(one.func, "attr", "") in {"add_argument", "option"}:
            names = [str(arg.value) for arg in one.args if isinstance(arg, ast.Constant) and str(arg.value)[:1] == "-"]
            said = {key.arg: key.value for key in one.keywords}
            if not names:
                continue
            offered = said.get("choices")
            kind = KINDS.get(getattr(said.get("type"), "id", ""), "value")
            if isinstance(offered, ast.List | ast.Tuple) and all(isinstance(x, ast.Constant) for x in offered.elts):
                kind = "|".join(str(x.value) for x in offered.elts if isinstance(x, ast.Constant))
            if getattr(said.get("action"), "value", "") in {"store_true", "store_false"}:
                kind = "switch"
            yield " ".join(names), kind, _constant(said.get("default"))


def read(spec: Spec, folder: Path) -> Iterator[Row]:
    """The options of one place."""
    tree = ast.parse((folder / spec.file).read_text(encoding="utf-8"))
    if not spec.within:
        for written, kind, default in _calls(tree):
            long = max(written.split(), key=len)
            yield Row(spec.program, long.lstrip("-").replace("-", "_"), written, kind, default)
        return
    node = _found(tree, spec.within)
    found = fields(node) if isinstance(node, ast.ClassDef) else _parameters(node)  # type: ignore[arg-type]
    for name, kind, default in found:
        whole = spec.before + name
        yield Row(spec.program, whole, whole, kind, default)


def kinds(folder: Path) -> dict[str, tuple[str, str]]:
    """Name → kind and default, where every class of the package that has the field agrees."""
    found: dict[str, set[tuple[str, str]]] = {}
    files = [folder] if folder.is_file() else sorted(folder.rglob("*.py"))
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                for name, kind, default in fields(node):
                    found.setdefault(name, set()).add((kind, default))
    agreed = {}
    for name, seen in found.items():
        stated = {kind for kind, _ in seen}
        defaults = {default for _, default in seen if default}
        if len(stated) == 1:
            agreed[name] = (stated.pop(), defaults.pop() if len(defaults) == 1 else "")
    return agreed


def main() -> None:
    """Compare, or write."""
    folder, write = Path(sys.argv[1]), "--write" in sys.argv
    with TABLE.open(encoding="utf-8", newline="") as file:
        rows = [Row(**({"default": ""} | row)) for row in csv.DictReader(file)]
    known = {program: kinds(folder / place) for program, place in FILLED.items() if (folder / place).exists()}
    filled = []
    for row in rows:
        kind, default = known.get(row.program, {}).get(row.name, ("", ""))
        takes = kind if row.takes == "value" and kind in {"whole", "number"} else row.takes
        filled.append(row._replace(takes=takes, default=row.default or default))
    there = [spec for spec in SPECS if (folder / spec.file).exists()]
    made = {(one.program, one.name): one for spec in there for one in read(spec, folder)}
    kept = [row for row in filled if (row.program, row.name) not in made]
    result = sorted([*kept, *made.values()], key=lambda row: (row.program, row.name))
    changed = set(result) ^ set(rows)
    print(f"{len(rows)} rows, {len(result)} now, {len(changed)} differ")
    if write:
        with TABLE.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(Row._fields)
            writer.writerows(result)


if __name__ == "__main__":
    main()

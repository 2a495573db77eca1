"""How a set-up is written: names, values, line ends."""

import re
from collections.abc import Mapping
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kb.artifacts.mask import HIDDEN
from kb.artifacts.setups.options import OPEN, options
from kb.catalog import load_yaml

if TYPE_CHECKING:
    from tools.check_setup.view import View

ALIKE = 0.82
"""How alike an unknown option must be to one that is known to be a slip."""

LONGEST_VALUE = 200
"""Longer values are texts, which may hold anything."""

_SPACED = re.compile(r"\\[ \t]+\r?\n")

_BROKEN = re.compile(r"[^\\\s][ \t]*\n[ \t]*--?[A-Za-z]")

_DASHES = re.compile(r"(?:^|\s)[–—]{1,2}[A-Za-z][\w-]+")

COUNTS, MOST = ("tp", "pp", "dp", "port", "sequences"), 10**9
"""Settings that are whole numbers in every program, and what none of them reaches."""
_UNFILLED = re.compile(r"[${}<>%]")
"""A variable or a place to be filled, of which nothing is known."""
_HOLDER = re.compile(
    r"<[\w \-]*(?:your|token|model|path|name|key|dir|host|addr|port|user)[\w \-]*>|\bYOUR[_A-Z]+\b"
    r"|\byour[-_](?:token|key|hf|model)\b|/path/to\b|\bxxx+\b",
    re.IGNORECASE,
)

_SEVERAL = {
    "env", "volume", "publish", "mount", "lora_modules", "stop", "message", "device", "group_add", "ulimit", "cap_add",
    "x", "mca", "model", "allowed_origins", "override_tensor", "lora", "lora_scaled", "datasets", "limit_mm_per_prompt",
    "security_opt", "label", "add_host", "override_kv", "middleware", "served_model_name", "control_vector",
}  # fmt: skip

_PARAMETERS = {
    "from", "template", "system", "adapter", "license", "message", "requires", "num_ctx", "num_gpu", "num_predict",
    "num_thread", "num_batch", "num_keep", "main_gpu", "use_mmap", "use_mlock", "low_vram", "numa", "f16_kv", "seed",
    "stop", "temperature", "top_k", "top_p", "min_p", "typical_p", "tfs_z", "repeat_last_n", "repeat_penalty",
    "presence_penalty", "frequency_penalty", "penalize_newline", "mirostat", "mirostat_eta", "mirostat_tau",
    "vocab_only", "draft_num_predict", "num_gqa", "rope_frequency_base", "rope_frequency_scale", "embedding_only",
}  # fmt: skip

NEWEST = {"vllm": (0, 33), "sglang": (0, 5, 23), "tgi": (3,), "llama-server": (0,)}
"""Releases whose options were read."""


def _command(view: "View") -> str:
    return view.setup.text[view.unit.start : view.unit.end]


def _read_release(view: "View") -> bool:
    """Whether the options are those of the release that was read: the one named, or the newest where none is."""
    said = view.value("release")
    return said is None or _newest(str(said), view.unit.program)


@lru_cache(maxsize=1)
def _removed() -> Mapping[str, Mapping[str, Mapping[str, Any]]]:
    return dict(load_yaml(Path(__file__).parents[1] / "known" / "removed.yaml"))


def _newest(release: str, program: str) -> bool:
    numbers = tuple(int(part) for part in re.findall(r"\d+", release))
    return numbers >= NEWEST.get(program, (0,))


def spaced_continuation(view: "View") -> bool:
    """Blanks after a backslash: the shell joins nothing, and runs the next line by itself."""
    return view.unit.hand == "flag" and _SPACED.search(view.setup.text[view.unit.start : view.unit.end + 8]) is not None


def broken_continuation(view: "View") -> bool:
    """A line that begins with an option after one that does not end with a backslash."""
    if view.unit.hand != "flag" or (view.unit.within is not None and view.unit.within.program in {"pod", "compose"}):
        return False
    if view.setup.text[: view.unit.end].rstrip().endswith(("...", "…")):
        return False
    tail = view.setup.text[max(view.unit.end - 1, 0) : view.unit.end + 120]
    return _BROKEN.match(tail) is not None


def commented_continuation(view: "View") -> bool:
    """A comment between lines that are continued: what follows is not part of the command."""
    if view.unit.hand != "flag":
        return False
    after = view.setup.text[view.unit.end : view.unit.end + 400]
    return re.match(r"[ \t]*(?:\\[ \t]*\n)?[ \t]*#[^\n]*\n[ \t]*--?[A-Za-z]", after) is not None


def typographic_dash(view: "View") -> bool:
    """An option that begins with a dash of print."""
    return view.unit.hand == "flag" and _DASHES.search(_command(view)) is not None


def joined_argument(view: "View") -> str | None:
    """An entry of a manifest's list that holds an option and its value with a blank between."""
    if view.unit.hand != "list" and view.unit.within is None:
        return None
    found = [name for name in view.unit.given if " " in name]
    return found[0] if found else None


def misspelt(view: "View") -> str | None:
    """The option that an unknown one was meant to be."""
    if not _read_release(view):
        return None
    table = options(view.unit.program)
    for one in view.unit.unknown:
        if one.name in _removed().get(view.unit.program, {}) or " " in one.name:
            continue
        near = get_close_matches(one.name, list(table), n=1, cutoff=ALIKE)
        if near and not one.quote.startswith("-Xm"):
            return table[near[0]].name
    return None


def stranger(view: "View") -> str | None:
    """An option that the release does not have, and that no other is like."""
    if misspelt(view) or not view.unit.unknown or not _read_release(view):
        return None
    return view.unit.unknown[0].name


def not_a_choice(view: "View") -> str | None:
    """An option whose value is none of those it takes."""
    if view.unit.program in OPEN or not _read_release(view):
        return None
    table = options(view.unit.program)
    for one in view.unit.given.values():
        option = table.get(one.name)
        if option is None or not option.choices or not isinstance(one.value, str | int | float):
            continue
        said = str(one.value)
        if "$" in said or "{" in said or not said or any(said.lower() == choice.lower() for choice in option.choices):
            continue
        if isinstance(one.value, bool) or "," in said:
            continue
        return one.name
    return None


def choices(view: "View") -> str | None:
    """What that option takes."""
    name = not_a_choice(view)
    return ", ".join(options(view.unit.program)[name].choices[:12]) if name else None


def not_a_number(view: "View") -> str | None:
    """A setting that counts something and whose value is no whole number that anything has so many of."""
    for name in COUNTS:
        one = view.given(name)
        if one is None or isinstance(one.value, bool | float) or (isinstance(one.value, int) and one.value < MOST):
            continue
        said = str(one.value)
        if said and not _UNFILLED.search(said) and said.lower() != "auto":
            return one.name
    return None


def placeholder(view: "View") -> str | None:
    """A setting whose value was never filled in."""
    for one in (*view.unit.given.values(), *view.unit.env.values(), *view.unit.words):
        if (
            isinstance(one.value, str)
            and len(one.value) < LONGEST_VALUE
            and _HOLDER.search(one.value)
            and (one.name not in {"template", "system", "chat_template"})
        ):
            return one.name or "@0"
    return None


def repeated_option(view: "View") -> str | None:
    """A setting written twice with two values, of which the first counts for nothing."""
    for one in view.unit.repeated:
        later = view.unit.given.get(one.name)
        if later is not None and later.value != one.value and one.name not in _SEVERAL:
            return one.name
    return None


def keyed(view: "View") -> str | None:
    """A key or token written out where anybody who reads the file sees it."""
    for one in view.unit.env.values():
        if one.name in {
            "HF_TOKEN",
            "HUGGING_FACE_HUB_TOKEN",
            "HUGGINGFACE_HUB_TOKEN",
            "WANDB_API_KEY",
            "OPENAI_API_KEY",
        }:
            value = str(one.value)
            if HIDDEN in value or HIDDEN in one.quote:
                return f"env.{one.name}"
    return None


def flash_bare(view: "View") -> bool:
    """`-fa` without a value, as releases before September 2025 took it."""
    one = view.given("flash")
    return one is not None and one.value is True and re.fullmatch(r"-fa|--flash-attn", one.quote.strip()) is not None


def modelfile_stranger(view: "View") -> str | None:
    """A PARAMETER that Ollama does not have."""
    return next((name for name in view.unit.given if name not in _PARAMETERS), None)


def rate_unquoted_yaml(view: "View") -> bool:
    """Whether the learning rate stands in a file of settings."""
    one = view.given("rate")
    return one is not None and one.hand == "yaml"


def removed_option(view: "View") -> str | None:
    """An option that earlier releases had; not looked for where an older release is named."""
    if not _read_release(view):
        return None
    known = _removed().get(view.unit.program, {})
    return next((one.name for one in view.unit.unknown if one.name in known), None)


def removed_instead(view: "View") -> str | None:
    """What stands in its place."""
    name = removed_option(view)
    return str(_removed()[view.unit.program][name]["en"]) if name else None


def removed_instead_zh(view: "View") -> str | None:
    """The same in Chinese."""
    name = removed_option(view)
    return str(_removed()[view.unit.program][name]["zh"]) if name else None


def removed_drop(view: "View") -> str | None:
    """The option, where nothing is left to set."""
    name = removed_option(view)
    return f"unknown:{name}" if name and _removed()[view.unit.program][name].get("drop") else None


def json_broken(view: "View") -> int | None:
    """The line of a comment or a comma that JSON does not have."""
    if view.unit.hand != "json":
        return None
    return next((line for line, why in view.setup.broken if why in {"comment", "trailing comma"}), None)


def config_word(view: "View") -> bool:
    """Whether the settings come from a file that is named."""
    return any(str(one.value).endswith((".yaml", ".yml", ".json")) for one in view.unit.words)


NAMES = (
    "spaced_continuation",
    "broken_continuation",
    "commented_continuation",
    "typographic_dash",
    "joined_argument",
    "misspelt",
    "stranger",
    "not_a_choice",
    "choices",
    "not_a_number",
    "placeholder",
    "repeated_option",
    "removed_option",
    "removed_instead",
    "removed_instead_zh",
    "removed_drop",
    "json_broken",
    "modelfile_stranger",
    "flash_bare",
    "rate_unquoted_yaml",
    "keyed",
    "config_word",
)
"""Those that rules may use."""

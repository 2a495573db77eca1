"""The corrected text: settings replaced, left out or added where their program writes them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from kb.artifacts.setups.options import OPEN, options
from kb.artifacts.setups.written import Given, Unit
from tools.check_setup.view import LAUNCHERS, View

_TOP = {"train_batch_size", "train_micro_batch_size_per_gpu", "gradient_accumulation_steps", "gradient_clipping"}
"""Settings of DeepSpeed that stand at the top of its file."""
_QUOTED = set(" \t#:{}[],&*!|>'\"%@`")


@dataclass(frozen=True, slots=True)
class Edit:
    """A stretch of the text, and what stands there afterwards."""

    start: int
    end: int
    text: str


def edits(view: View, values: dict[str, Any], drop: Iterable[str]) -> list[Edit] | None:
    """What changes the text so; None where something of it cannot be written."""
    found: list[Edit] = []
    for name in drop:
        one = view.given(name)
        if one is None and name.startswith("unknown:"):
            one = next((each for each in view.unit.unknown if each.name == name[8:]), None)
        if one is not None:
            found.append(_dropped(view, one))
    for name, value in values.items():
        if value is None:
            return None
        one = view.given(name)
        edit = _replaced(one, value) if one is not None else _added(view, name, value)
        if edit is None:
            return None
        found.append(edit)
    return found


def applied(text: str, changes: Iterable[Edit]) -> str:
    """The text with every edit that lies in no other; the last places first."""
    taken: list[Edit] = []
    for one in sorted(changes, key=lambda edit: (edit.start, edit.end)):
        if not taken or one.start >= taken[-1].end or (one.start == one.end and one.start >= taken[-1].start):
            taken.append(one)
    for one in reversed(taken):
        text = text[: one.start] + one.text + text[one.end :]
    return text


def _said(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _replaced(one: Given, value: Any) -> Edit | None:
    if one.hand == "flag" and one.value is True and isinstance(value, bool):
        return None
    text = _said(value)
    if one.hand == "json":
        text = text if not isinstance(value, str) else f'"{value}"'
    elif one.hand == "yaml" and isinstance(value, str) and set(value) & _QUOTED:
        text = f'"{value}"'
    return Edit(one.start, one.end, text)


def _dropped(view: View, one: Given) -> Edit:
    """Without the setting; of a file the whole line, of a command the words and the blank before them."""
    text = view.setup.text
    start, end = one.first, one.last
    if one.hand in {"yaml", "json", "directive", "modelfile", "list"}:
        line = text.rfind("\n", 0, start) + 1
        stop = text.find("\n", end)
        stop = len(text) if stop < 0 else stop + 1
        rest = text[end:stop].strip()
        if not text[line:start].strip(" \t-") and (not rest or rest == ","):
            return Edit(line, stop, "")
        while one.hand == "json" and end < len(text) and text[end] in ", ":
            end += 1
        return Edit(start, end, "")
    while start > 0 and text[start - 1] in " \t":
        start -= 1
    return Edit(start, end, "")


def _added(view: View, name: str, value: Any) -> Edit | None:
    unit = view.unit
    space, dot, rest = name.partition(".")
    if dot and space == "env" and unit.hand == "flag" and unit.within is None:
        return Edit(unit.start, unit.start, f"{rest}={_said(value)} ")
    if dot:
        return None
    native = view.native(name)
    if unit.hand == "flag":
        return _flag(unit, native, value)
    if unit.hand == "list":
        return _entry(view, native, value)
    return _line(view, unit, native, value)


def _flag(unit: Unit, native: str, value: Any) -> Edit | None:
    if native.startswith("@") or (unit.within is not None and unit.within.program in {"pod", "helm"}):
        return None
    dashed = (
        native
        if unit.program
        in {"trainer", "trl", "llamafactory", "swift", "swift-megatron", "accelerate-launch", "deepspeed", "torchrun"}
        else native.replace("_", "-")
    )
    if unit.program not in OPEN and options(unit.program).get(native) is None:
        return None
    said = f" --{dashed}" if value is True else f" --{dashed} {_said(value)}"
    if unit.program in LAUNCHERS and unit.words:  # what follows its script is the script's own
        return Edit(unit.words[0].first, unit.words[0].first, f"{said.lstrip()} ")
    return Edit(unit.end, unit.end, said)


def _entry(view: View, native: str, value: Any) -> Edit | None:
    """One more entry of a manifest's list of arguments."""
    text, unit = view.setup.text, view.unit
    if options(unit.program).get(native) is None:
        return None
    said = f"--{native.replace('_', '-')}" + ("" if value is True else f"={_said(value)}")
    line = text.rfind("\n", 0, unit.end) + 1
    stop = text.find("\n", unit.end)
    stop = len(text) if stop < 0 else stop
    if text[line:stop].lstrip().startswith("- "):
        indent = text[line:stop][: len(text[line:stop]) - len(text[line:stop].lstrip())]
        return Edit(stop, stop, f'\n{indent}- "{said}"')
    close = unit.end + (1 if text[unit.end : unit.end + 1] in {"'", '"'} else 0)
    return Edit(close, close, f', "{said}"') if "[" in text[line:stop] else None


def _line(view: View, unit: Unit, native: str, value: Any) -> Edit | None:
    """After the first line of the unit's settings, indented alike."""
    text = view.setup.text
    tops = [one for one in unit.given.values() if one.hand == unit.hand and not one.quote.startswith(("{", "["))]
    if not tops:
        return None
    first = min(tops, key=lambda one: one.first)
    line = text.rfind("\n", 0, first.first) + 1
    indent = text[line : first.first]
    if unit.program == "deepspeed-config" and native not in _TOP:
        return None
    said = _said(value)
    if unit.hand == "json":
        said = f'"{value}"' if isinstance(value, str) else said
        if indent.strip():
            return Edit(first.first, first.first, f'"{native}": {said}, ')
    if indent.strip():
        return None
    if unit.hand == "json":
        return Edit(line, line, f'{indent}"{native}": {said},\n')
    if unit.hand == "yaml":
        return Edit(line, line, f"{indent}{native}: {said}\n")
    if unit.hand == "modelfile":
        return Edit(first.last, first.last, f"\nPARAMETER {native} {said}")
    return Edit(line, line, f"#SBATCH --{native.replace('_', '-')}={said}\n")

"""`check_setup`: what is wrong with a set-up, and the corrected text."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from kb.artifacts.artifact import Artifact
from kb.artifacts.find import find_artifacts
from kb.artifacts.mask import masked
from kb.artifacts.setups.read import read_setup
from kb.artifacts.setups.written import Given, Setup, Unit
from kb.base import AdvisorError
from kb.configs.model_config import shape_from_config
from kb.records.model import Model
from tools.base import Step
from tools.check_setup.correct import Edit, applied, edits
from tools.check_setup.expression import Unmet, holds, release, worked_out
from tools.check_setup.machine import machine_of
from tools.check_setup.request import SetupRequest
from tools.check_setup.result import Finding, Program, SetupCheck, Verdict, Words
from tools.check_setup.rulebook import Both, Rule, rules_of, sources
from tools.check_setup.seen import logged, standing
from tools.check_setup.view import View

ROUNDS = 6
"""Corrections that make others necessary are made in turn, so often at most."""
ORDER = {"stops": 0, "wrong": 1, "waste": 2}
VERDICTS: dict[str, Verdict] = {"stops": "stops", "wrong": "runs_wrong", "waste": "wasteful"}
SETTINGS_MAX = 40
_BRACES = re.compile(r"\{([^{}]+)\}")


def check_setup(request: SetupRequest) -> SetupCheck:
    """Check a command, launch script, configuration or manifest before it runs: what stops it, what it does wrong.

    Reads vLLM, SGLang, TGI, llama-server, Ollama Modelfiles, TensorRT-LLM, torchrun, accelerate, DeepSpeed,
    LLaMA-Factory, ms-swift, axolotl, TRL, Megatron, Docker, Compose, Kubernetes, Helm values and Slurm. Each finding
    has the line, why, the fix and a source; the corrected text comes with them.
    Give the cards where the text names none.
    """
    text = masked(request.text)
    beside = tuple(map(masked, request.beside))
    views = tuple(_views(text, beside, request))
    found = [one for view in views for one in _findings(view)]
    corrected, fixed = _corrected(text, beside, request, found)
    after = _fired(corrected, beside, request) if corrected is not None else frozenset()
    rows = sorted(
        (_told(one, corrected=one.rule.id in fixed and one.rule.id not in after) for one in found),
        key=lambda row: (ORDER[row.severity], row.line),
    )
    worst = rows[0].severity if rows else None
    checked = {rule.id for view in views for rule in rules_of(view.unit.program)}
    used = tuple(dict.fromkeys(one.source for one in rows))
    return SetupCheck(
        verdict=VERDICTS[worst] if worst else "clean" if views else "not_a_setup",
        would_run=worst != "stops" and bool(views), summary=_summary(rows, views), findings=tuple(rows),
        programs=tuple(_program(view) for view in views), corrected_text=corrected,
        remaining=tuple(sorted(after)) if corrected is not None else (), rules_checked=len(checked),
        derivation=tuple(
            Step(label=one.rule, formula=one.quote, value=one.severity, source=one.source) for one in rows
        ),
        sources=tuple(sources()[key] for key in used if key in sources()),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Fired:
    """A rule that fired on a unit."""

    rule: Rule
    view: View
    at: Given | None

    @property
    def line(self) -> int:
        """Of the text."""
        return self.at.line if self.at is not None and self.at.line else self.view.unit.line


def _views(text: str, beside: Sequence[str], request: SetupRequest) -> Iterator[View]:
    """Every unit of the text, with what lies beside it."""
    setups, artifacts = _read(text)
    around = [unit for one in beside for setup in _read(one)[0] for unit in setup.units]
    more = [artifact for one in beside for artifact in _read(one)[1]]
    units = [unit for setup in setups for unit in setup.units]
    every = (*units, *around)
    machine = machine_of(
        request.cards, request.nodes, request.host_memory.bytes if request.host_memory else None, every,
        (*artifacts, *more),
    )  # fmt: skip
    logs = logged((*artifacts, *more))
    shape = next((found for one in (text, *beside) if (found := _shape(one))), None)
    for setup in setups:
        for unit in setup.units:
            yield View(setup, unit, machine, every, request.model, shape, logged=logs)
    for unit, table in standing((*artifacts, *more)):
        yield View(Setup(text, (unit,)), unit, machine, every, request.model, shape, table=table, logged=logs)


@lru_cache(maxsize=64)
def _read(text: str) -> tuple[tuple[Setup, ...], tuple[Artifact, ...]]:
    """Set-ups of a text, in places of that text, and what else was found in it."""
    whole = read_setup(text)
    artifacts = find_artifacts(text).artifacts
    setups = [whole] if whole.units or whole.broken else []
    taken = [(unit.start, unit.end) for unit in whole.units]
    for one in artifacts:
        inner = text[one.start : one.end]
        if one.family != "setup" or any(start < one.end and one.start < end for start, end in taken):
            continue
        found = read_setup(inner)
        if found.units or found.broken:
            setups.append(_moved(found, text, one.start))
    return tuple(setups), artifacts


def _moved(setup: Setup, text: str, by: int) -> Setup:
    """The same with its places counted in the whole text."""
    lines = text.count("\n", 0, by)
    seen: dict[int, Unit] = {}

    def given(one: Given) -> Given:
        return replace(one, start=one.start + by, end=one.end + by, first=one.first + by, last=one.last + by,
                       line=one.line + lines)  # fmt: skip

    def unit(one: Unit) -> Unit:
        if id(one) not in seen:
            seen[id(one)] = replace(
                one, line=one.line + lines, start=one.start + by, end=one.end + by,
                given={name: given(each) for name, each in one.given.items()},
                env={name: given(each) for name, each in one.env.items()},
                repeated=tuple(map(given, one.repeated)), unknown=tuple(map(given, one.unknown)),
                words=tuple(map(given, one.words)), within=unit(one.within) if one.within else None,
            )  # fmt: skip
        return seen[id(one)]

    return Setup(text, tuple(map(unit, setup.units)), tuple((line + lines, why) for line, why in setup.broken))


def _shape(text: str) -> Model | None:
    """The model of a config.json."""
    if "num_hidden_layers" not in text:
        return None
    try:
        return shape_from_config(json.loads(text))
    except (AdvisorError, ValueError, TypeError):
        return None


def _findings(view: View) -> Iterator[Fired]:
    for rule in rules_of(view.unit.program):
        if _of_release(rule, view) and holds(rule.when, view):
            yield Fired(rule, view, _place(rule, view))


def _of_release(rule: Rule, view: View) -> bool:
    """Whether the release that is named has this behaviour; where none is named, the newest is meant."""
    if rule.since is None and rule.before is None:
        return True
    said = view.value("release")
    try:
        version = release(said) if said else None
    except Unmet:
        version = None
    if version is None:
        return rule.before is None
    return (rule.since is None or version >= release(rule.since)) and (
        rule.before is None or version < release(rule.before)
    )


def _place(rule: Rule, view: View) -> Given | None:
    for name in rule.at:
        if name.startswith("="):  # a predicate that names the setting
            name = str(worked_out(name[1:], view) or "")
        one = view.given(name) or next((each for each in view.unit.unknown if each.name == name), None)
        if one is not None:
            return one
    return None


def _told(one: Fired, *, corrected: bool) -> Finding:
    quote = one.at.quote if one.at is not None else _first_line(one.view)
    return Finding(
        rule=one.rule.id, severity=one.rule.severity, program=one.view.unit.program, line=one.line, quote=masked(quote),
        why=_words(one.rule.why, one.view), fix=_words(one.rule.fix, one.view), corrected=corrected,
        since=one.rule.since, source=one.rule.source,
    )  # fmt: skip


def _first_line(view: View) -> str:
    return view.setup.text[view.unit.start : view.unit.end].split("\n", 1)[0].strip()[:160]


def _words(both: Both, view: View) -> Words:
    return Words(en=_filled(both.en, view), zh=_filled(both.zh, view))


def _filled(sentence: str, view: View) -> str:
    def put(found: re.Match[str]) -> str:
        value = worked_out(found[1], view)
        if isinstance(value, float):
            return f"{value:.4g}"
        return "?" if value is None else f"{value:,}" if isinstance(value, int) and abs(value) > 9999 else str(value)

    return masked(_BRACES.sub(put, sentence))


def _fired(text: str, beside: Sequence[str], request: SetupRequest) -> frozenset[str]:
    return frozenset(one.rule.id for view in _views(text, beside, request) for one in _findings(view))


def _corrected(
    text: str, beside: Sequence[str], request: SetupRequest, found: Sequence[Fired]
) -> tuple[str | None, frozenset[str]]:
    """The text after every correction, and the rules that were corrected; None where there is nothing to correct."""
    now, fixed = text, set()
    pending: Iterable[Fired] = found
    for _ in range(ROUNDS):
        changes: list[Edit] = []
        for one in pending:
            made = _edits(one)
            if made and not any(_touch(each, other) for each in made for other in changes):
                changes += made
                fixed.add(one.rule.id)
        if not changes:
            break
        after = applied(now, changes)
        if after == now:
            break
        now = after
        pending = [one for view in _views(now, beside, request) for one in _findings(view)]
    return (now if now != text else None), frozenset(fixed)


def _touch(one: Edit, other: Edit) -> bool:
    return (one.start < other.end and other.start < one.end) or (one.start, one.end) == (other.start, other.end)


def _edits(one: Fired) -> list[Edit] | None:
    if not one.rule.set and not one.rule.drop:
        return None
    values = {name: worked_out(text, one.view) for name, text in one.rule.set.items()}
    drop = [str(worked_out(name[1:], one.view)) if name.startswith("=") else name for name in one.rule.drop]
    return edits(one.view, values, drop)


def _summary(rows: Sequence[Finding], views: Sequence[View]) -> Words:
    if not views:
        return Words(en="Nothing here was read as a set-up.", zh="没有读出任何启动配置。")
    count = {name: sum(row.severity == name for row in rows) for name in ORDER}
    if not rows:
        return Words(en="No rule fired: nothing known stops it.", zh="没有规则命中：没有发现已知会使它失败的问题。")
    first = rows[0]
    said_en = f"{count['stops']} stop it, {count['wrong']} make it do other than meant, {count['waste']} waste."
    said_zh = f"{count['stops']} 项使它无法运行，{count['wrong']} 项使它行为不对，{count['waste']} 项浪费。"
    return Words(en=f"Line {first.line}: {first.why.en} {said_en}", zh=f"第 {first.line} 行：{first.why.zh}{said_zh}")


def _program(view: View) -> Program:
    card, cards = view.machine.card, view.value("cards")
    settings = {name: one.value for name, one in list(view.unit.given.items())[:SETTINGS_MAX]}
    plain = {name: masked(value) if isinstance(value, str) else value for name, value in settings.items()}
    return Program(
        program=view.unit.program, line=view.unit.line, model=view.named.model if view.named else None,
        cards=f"{cards or view.machine.count or 1} × {card.name}" if card else None, settings=plain,
    )  # fmt: skip

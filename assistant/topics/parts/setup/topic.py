"""The command or file that runs it."""

from collections.abc import Mapping
from pathlib import Path

from assistant.reading.annotation import Ask
from assistant.reading.situation import Situation
from assistant.topics.topic import Calls, SectionTold, Topic
from assistant.writing.arguments import OLLAMA, cards_of, methods_of, running, training
from assistant.writing.setups import THOUGHT_OF, Setup, setups
from assistant.writing.ways import told_limits, told_speed, ways
from assistant.writing.words import Words
from tools.agent_tools.launching import TRAINING

FORMS = {
    "deployment": "kubernetes", "scaledobject": "kubernetes", "keda": "kubernetes", "kubernetes": "kubernetes",
    "k8s": "kubernetes", "manifest": "kubernetes", "docker compose": "docker_compose", "compose": "docker_compose",
    "docker": "docker_compose", "slurm": "slurm", "sbatch": "slurm", "systemd": "shell",
}  # fmt: skip
"""Programs and forms of an answer → what files are written for."""
TAKEN = ("model", "cards", "nodes", "context_tokens", "concurrent_sequences", "sequence_tokens", "kv_format")
SUFFIXES = {
    "yaml": "yaml",
    "yml": "yaml",
    "json": "json",
    "sh": "bash",
    "py": "python",
    "conf": "ini",
    "sbatch": "bash",
}


def applies(ask: Ask, situation: Situation) -> bool:
    """A model and the cards it is to run or be trained on."""
    found = setups(situation, ask)
    return bool(found) and found[0].work is not None and bool(found[0].machines)


def answer(ask: Ask, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """Training: the files of the trainer. Running: the command of the best way, with its figures."""
    setup = setups(situation, ask)[0]
    if setup.trains:
        return _files(setup, situation, calls, words)
    form = _form(setup, situation)
    as_file = _files(setup, situation, calls, words, form) if form else None
    return as_file or _command(setup, situation, calls, words)


def _form(setup: Setup, situation: Situation) -> str | None:
    """What files are written for, where a form or a program that runs containers is named."""
    every = [one for thing in situation.things for one in thing.known] + list(situation.known)
    said = [str(one.value or one.quote).lower().replace("_", " ") for one in every
            if one.slot in ("answer_form", "program") and one.turn == situation.turn]  # fmt: skip
    return next((FORMS[name] for one in said for name in FORMS if name in one), None)


def _command(setup: Setup, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    asked = dict(running(setup, situation))
    named = [one for one in setup.every("engine", *THOUGHT_OF) if one.turn == situation.turn]
    if len(named) > 1:  # the command is asked of what is in use, the others are compared with it
        first = next((one for one in named if one.stance in ("have", "wanted")), named[0])
        asked["engine"] = OLLAMA.get(str(first.value), str(first.value))
        asked.pop("parallel", None)
    one = calls.call("find_ways_to_run", dict(asked))
    best = ways(one, words)
    if one.failed or not best:
        return None
    lead = words.say("command_of", **best[0].fields)
    block = f"```bash\n{best[0].command}\n```"
    return SectionTold(lead, (block, *told_speed(best[0], words), *told_limits(best[0], words)), "fits")


def _files(
    setup: Setup, situation: Situation, calls: Calls, words: Words, form: str | None = None
) -> SectionTold | None:
    """Files of a trainer, or of what serves it in a form that is known; None where they cannot be written."""
    given = training(setup, situation) if setup.trains else running(setup, situation)
    said: dict[str, object] = {name: value for name, value in given.items() if name in TAKEN}
    engine = setup.one("engine", *THOUGHT_OF)
    if setup.trains:
        said["task"] = next((one for one in methods_of(setup).split() if one in ("lora", "qlora")), "full")
        said["training"] = {name: value for name, value in given.items() if name in TRAINING and name not in TAKEN}
    elif form is not None:
        said |= {"target": form, "model": f"{said['model']} {given.get('weight_format', '')}".strip()}
    asked = {**said, **({"engine": str(engine.value)} if engine and engine.value else {})}
    one = calls.call("launch_files", dict(asked))
    files = [row for row in one.worked[-1].result.get("files", []) if row.get("content")] if one.worked else []
    if one.failed or not files:
        return None
    lead = words.say("files", model=one.shown.get("model", ""), cards=cards_of(setup) or "", names=_names(files))
    blocks = [f"`{row['name']}`\n```{_kind(str(row['name']))}\n{str(row['content']).rstrip()}\n```" for row in files]
    return SectionTold(lead, tuple(blocks), "fits")


def _names(files: list[Mapping[str, object]]) -> str:
    return ", ".join(f"`{row['name']}`" for row in files)


def _kind(name: str) -> str:
    return SUFFIXES.get(name.rsplit(".", 1)[-1], "")


TOPIC = Topic("setup", Path(__file__).parent, ("setup",), applies, answer)

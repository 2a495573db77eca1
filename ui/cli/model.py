"""`gpu-advisor model`: which language models are there, how they do on ten questions, and which one is used."""

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kb.base import BadInput
from kb.clock import today
from kb.model_choice import ModelChoice, Models, ModelTrial, read_models, write_models
from kb.settings import Settings, settings

if TYPE_CHECKING:
    from assistant.llm.choosing.finding import Connection, Found
    from assistant.llm.choosing.trial import Scored

FAILED = 1
NAMES = "server:model, service:model, local or local:FILE.gguf"


def add_to(commands: Any) -> None:
    """The `model` command."""
    model = commands.add_parser(
        "model", help="language models: list what is found and chosen, try one on ten questions, choose one"
    )
    model.add_argument("--json", action="store_true", help="the same as JSON")
    model.set_defaults(run=run_list)
    parts = model.add_subparsers(dest="part", metavar="try|choose|forget")
    tried = parts.add_parser(
        "try", help="put ten scored questions to a model; eight right let it drive, fewer: exit code 1"
    )
    tried.add_argument("name", nargs="?", help=f"{NAMES} (default: the one in use)")
    _address(tried)
    tried.add_argument("--json", action="store_true", help="the outcome as JSON")
    tried.set_defaults(run=run_try)
    choose = parts.add_parser("choose", help="use a model wherever GPU_ADVISOR_LLM names none; kept in the home")
    choose.add_argument("name", help=NAMES)
    _address(choose)
    choose.set_defaults(run=run_choose)
    forget = parts.add_parser("forget", help="use none; how models did on the questions is kept")
    forget.set_defaults(run=run_forget)


def _address(command: argparse.ArgumentParser) -> None:
    command.add_argument("--base-url", metavar="URL", help="an OpenAI-compatible server, http://host:port/v1")
    command.add_argument("--key-variable", metavar="NAME", help="the environment variable of its key; no key is kept")


def run_list(options: argparse.Namespace) -> int:
    """What is found on this machine and in the environment, what is used, and how it did."""
    from assistant.llm.choosing.finding import find
    from assistant.llm.roles import standing

    chosen, found = settings(), find()
    models = read_models(chosen.home)
    if options.json:
        print(json.dumps(_state(chosen, models, found), ensure_ascii=False))
        return 0
    print(standing(chosen, chosen.home, found))
    for one in found:
        print(f"  {_told(one, models)}")
    trials = [one for one in models.trials if one.name not in {each.name for each in found}]
    for trial in trials:
        print(f"  {_safe(trial.name)}: {_outcome(trial)}")
    print(f"  local: a model of 4 billion parameters in this process, {_local_size()} to download once")
    return 0


def run_try(options: argparse.Namespace) -> int:
    """Ask the ten questions, show how each went, keep the outcome."""
    from assistant.llm.choosing.trial import outcome, questions, scored

    connection = _named(options)
    asked = settings().model_copy(update={**_options(connection), "llm_role": "drive"})
    scores: list[Scored] = []
    with tempfile.TemporaryDirectory(prefix="gpu-advisor-trial-") as folder:  # no trial among the conversations
        advisor = _advisor(asked.model_copy(update={"home": Path(folder), "database_url": None}))
        with closing(advisor.conversations):
            for number, question in enumerate(questions().questions, start=1):
                scores.append(scored(question, advisor.ask))
                if not options.json:
                    _show(number, len(questions().questions), scores[-1])
    trial = outcome(connection, scores, today())
    write_models(settings().home, read_models(settings().home).tried(trial))
    if options.json:
        print(trial.model_dump_json())
    else:
        print(f"{_safe(trial.name)}: {_outcome(trial)}")
        print(_after(trial))
    return 0 if trial.passed else FAILED


def run_choose(options: argparse.Namespace) -> int:
    """Keep the choice in the home."""
    from assistant.llm.roles import standing

    connection = _named(options)
    home = settings().home
    models = read_models(home)
    choice = ModelChoice(**connection.model_dump(), day=today())
    write_models(home, models.model_copy(update={"chosen": choice}))
    settings.cache_clear()
    print(standing(settings(), home, []))
    if settings().llm != choice.llm:
        print("GPU_ADVISOR_LLM names another, which is used as long as it is set.", file=sys.stderr)
    return 0


def run_forget(options: argparse.Namespace) -> int:
    """Choose none."""
    home = settings().home
    models = read_models(home)
    write_models(home, models.model_copy(update={"chosen": None}))
    settings.cache_clear()
    print(f"{_safe(models.chosen.name)} is not used any more." if models.chosen else "None was chosen.")
    return 0


def at_start() -> str:
    """What a server says of language models in one line; this machine's are asked for only where none is chosen."""
    from assistant.llm.choosing.finding import find
    from assistant.llm.roles import standing

    used = settings()
    return _safe(standing(used, used.home, [] if used.llm else find()))


def _named(options: argparse.Namespace) -> "Connection":
    """The model of the command, or the one in use."""
    from assistant.llm.choosing.finding import Connection, connection

    if options.name is not None:
        return connection(options.name, options.base_url, options.key_variable)
    used, chosen = settings(), read_models(settings().home).chosen
    if used.llm is None:
        raise BadInput("NAME", "is needed: no model is in use.", "`gpu-advisor model` lists what there is.")
    if chosen and (chosen.llm, chosen.base_url) == (used.llm, used.llm_base_url):
        return Connection(**chosen.model_dump(exclude={"day"}))
    return Connection(name=used.llm, llm=used.llm, base_url=used.llm_base_url)


def _options(connection: "Connection") -> dict[str, Any]:
    """The settings that reach a model; those of the environment where it is the one they name."""
    used = settings()
    if (used.llm, used.llm_base_url) == (connection.llm, connection.base_url):
        return {}
    choice = ModelChoice(**connection.model_dump(), day=today())
    return Settings.reaching(choice)


def _advisor(options: Settings) -> Any:
    """An advisor that this model drives, over the documents of the person's own home."""
    from assistant.agent import Advisor
    from assistant.llm.local import is_local, local_model
    from ingest.apart import ensure_bundled_apart

    ensure_bundled_apart()
    model = local_model(str(options.llm), settings()) if is_local(options.llm) else None  # its file stays in the home
    return Advisor(options, model)


def _state(used: Settings, models: Models, found: Sequence["Found"]) -> dict[str, Any]:
    from assistant.llm.roles import role

    return {
        "used": used.llm and {"llm": used.llm, "base_url": used.llm_base_url, "role": role(used, used.home)},
        "chosen": models.chosen and models.chosen.model_dump(mode="json"),
        "found": [one.model_dump(mode="json") for one in found],
        "trials": [one.model_dump(mode="json") for one in models.trials],
    }


def _told(found: "Found", models: Models) -> str:
    if found.kind == "key":
        return f"{found.name}MODEL: a key for {found.title} in {found.key_variable}; say which model"
    from kb.units import format_bytes

    details = [
        found.title,
        found.base_url,
        found.params or "",
        format_bytes(found.size_bytes) if found.size_bytes else "",
        f"{found.context_tokens:,} tokens" if found.context_tokens else "",
    ]
    trial = next((one for one in models.trials if one.name == found.name), None)
    said = f"{', '.join(filter(None, details))}; {_outcome(trial) if trial else 'not tried'}"
    return f"{_safe(found.name)}: {_safe(said)}"


def _outcome(trial: ModelTrial) -> str:
    tokens = f", {trial.tokens:,} tokens" if trial.tokens else ""
    said = "passed" if trial.passed else "failed"
    return f"{said}: {trial.right} of {trial.of} right in {trial.seconds:.0f} s{tokens} ({trial.day})"


def _after(trial: ModelTrial) -> str:
    if trial.passed:
        return f"It may drive. To use it: gpu-advisor model choose {_safe(trial.name)}"
    return "It only reads, and the planner answers, unless GPU_ADVISOR_LLM_ROLE=drive says otherwise."


def _show(number: int, of: int, score: "Scored") -> None:
    tokens = f"{score.tokens:>8,} tokens" if score.tokens else ""
    print(
        f"{number:>2}/{of}  {'WRONG' if score.failed else 'right'}  {score.seconds:>6.1f} s{tokens}  {score.id}",
        flush=True,
    )
    for failed in score.failed:
        print(f"         {_safe(failed)}")


def _safe(text: str) -> str:
    from ui.cli.terminal import safe

    return safe(text)


def _local_size() -> str:
    from assistant.llm.local.files import default
    from kb.units import format_bytes

    return format_bytes(default().size_bytes)

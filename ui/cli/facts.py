"""`gpu-advisor facts`: rows for new facts, what of the held ones asks for a look, and how old they are."""

import argparse
import json
from pathlib import Path
from typing import Any

from kb import clock
from kb.base import BadInput, UnknownName
from kb.upkeep.new_rows import NewRow, gpu_row, model_row, offer_row, source_line

OFFER_OPTIONS = {
    "provider": "as the catalog calls it",
    "instance": "type as the provider writes it",
    "gpu": "card by any of its names",
    "gpu-count": "cards in the instance",
    "region": "region as the provider writes it",
    "country": "where the machine stands (ISO 3166)",
    "currency": "USD, CNY …",
    "on-demand-per-hour": "price of the whole instance",
    "spot-per-hour": "the same where it may be taken away",
    "as-of": "the day it was read",
}
QUIET = "second_source"
"""The rule whose findings are counted, and told only when asked for."""


def add_to(commands: Any) -> None:
    """The `facts` command."""
    facts = commands.add_parser("facts", help="rows for new facts; what of the held ones is odd or old")
    parts = facts.add_subparsers(dest="part", required=True, metavar="add-model|add-gpu|add-offer|check|age")
    model = parts.add_parser("add-model", help="print the row of a model, from its files")
    model.add_argument("model", metavar="MODEL", help="owner/name, a config.json or a GGUF file")
    model.add_argument("--id", metavar="ID", help="owner/name, where MODEL is a file")
    model.add_argument("--released", metavar="DATE", help="2026-11 or 2026-11-27")
    model.add_argument("--hub", action="store_true", help="ask the hub for a model by its id")
    _source(model)
    model.set_defaults(run=run_add_model)
    card = parts.add_parser("add-gpu", help="print the row of a card, like one that is held")
    card.add_argument("name", metavar="NAME", help="as its maker writes it")
    card.add_argument("--like", required=True, metavar="CARD", help="a card with the same chip, or the nearest")
    card.add_argument("figures", nargs="+", metavar="FIELD=VALUE", help="memory_bytes='24 GiB' tdp_w=300 …")
    _source(card)
    card.set_defaults(run=run_add_gpu)
    offer = parts.add_parser("add-offer", help="print the line of an offer")
    for name, help_text in OFFER_OPTIONS.items():
        offer.add_argument(f"--{name}", help=help_text)
    _source(offer)
    offer.set_defaults(run=run_add_offer)
    check = parts.add_parser("check", help="figures out of their family, shapes that do not add up, lone prices")
    check.add_argument("--all", action="store_true", help="also the figures that only one source states")
    check.set_defaults(run=run_check)
    age = parts.add_parser("age", help="how old prices, releases, models and cards are")
    age.add_argument("--index", action="store_true", help="ask the package index for the newest releases")
    age.set_defaults(run=run_age)


def _source(command: argparse.ArgumentParser) -> None:
    command.add_argument("--source", required=True, metavar="ID", help="the source that states it")
    command.add_argument("--title", help="its title, where it is not held yet")
    command.add_argument("--url", help="its address")
    command.add_argument("--date", help="the day it was read")


def run_add_model(options: argparse.Namespace) -> int:
    """The row of a model."""
    from kb.configs.gguf_shape import shape_from_gguf
    from kb.configs.model_config import shape_from_config

    path = Path(options.model)
    if path.is_file():
        if not options.id:
            raise BadInput("--id", "is missing.", "A file does not say who publishes the model: give owner/name.")
        read = shape_from_gguf(path) if path.suffix == ".gguf" else shape_from_config(path)
        identity = options.id
    else:
        read, identity = _of_hub(options.model, options.hub), options.model
    return _print(options, model_row(read, identity, options.source, options.released))


def _of_hub(identity: str, asked: bool) -> Any:
    from kb.configs.hub import hub_config
    from kb.configs.model_config import shape_from_config
    from kb.settings import hub_allowed

    if not (asked and hub_allowed()):
        raise BadInput("MODEL", "is no file, and asking the hub was not allowed.", "Add --hub.")
    config = hub_config(identity)
    if config is None:
        raise UnknownName("model", identity)
    return shape_from_config({**config, "_name_or_path": identity})


def run_add_gpu(options: argparse.Namespace) -> int:
    """The row of a card."""
    pairs = [figure.partition("=") for figure in options.figures]
    if any(not separator for _, separator, _ in pairs):
        raise BadInput("FIELD=VALUE", "an equals sign is missing.", "Write tdp_w=300.")
    figures = {field.strip(): value.strip() for field, _, value in pairs}
    return _print(options, gpu_row(options.name, options.like, figures, options.source))


def run_add_offer(options: argparse.Namespace) -> int:
    """The line of an offer."""
    fields = {name.replace("-", "_"): getattr(options, name.replace("-", "_")) for name in OFFER_OPTIONS}
    told = {name: value for name, value in fields.items() if value}
    return _print(options, offer_row({**told, "gpu_text": told.get("gpu", ""), "source": options.source}))


def _print(options: argparse.Namespace, row: NewRow) -> int:
    """The row, the source to add, the relatives, what is odd; 1 when something is."""
    line = source_line(options.source, options.title, options.url, options.date)
    print(f"# kb/facts/{row.file}\n{row.text}")
    if line is not None:
        print(f"\n# kb/facts/sources.yaml (of a model: model_sources.yaml; of a price: price_sources.yaml)\n{line}")
    print("".join(f"\nnear: {one}" for one in row.near) + "".join(f"\nlook: {one}" for one in row.odd))
    return 1 if row.odd else 0


def run_check(options: argparse.Namespace) -> int:
    """What asks for a look. The rules that must hold are tests: `make check-facts` runs both."""
    from kb.upkeep.fact_checks import findings

    found = findings()
    told = [one for one in found if options.all or one.rule != QUIET]
    for one in told:
        print(f"{one.rule:<14}{one.row}: {one.said}")
    counts = {rule: sum(one.rule == rule for one in found) for rule in sorted({one.rule for one in found})}
    print("to look at: " + json.dumps(counts))
    return 0


def run_age(options: argparse.Namespace) -> int:
    """How old the facts are."""
    from kb.programs.package_index import newest_of_index
    from kb.upkeep.fact_age import ages, newest_releases, newest_rows

    lines = [one.told() for one in ages(clock.today())]
    print("\n".join([*lines, *newest_releases(newest_of_index() if options.index else None), *newest_rows()]))
    return 0

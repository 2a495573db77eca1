"""Write `kb/facts/api_prices.csv` anew: what services ask for a million tokens of the models of the catalog.

    python -m pip install --no-deps --target /tmp/prices genai-prices
    python tests/bench/read_api_prices.py /tmp/prices 0.2.3 2026-10

Reads the price list of pydantic/genai-prices (MIT licence), which its authors check against the providers' own pages;
the date is that of the list, whose entries carry none of their own. Models are taken where the provider writes the id
of the publisher; the few providers that don't are translated by `OTHER_NAMES`. Prices that depend on the hour, the day
or the length of a prompt are left out.
"""

import csv
import sys
import types
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

from kb.catalog import FACTS, models

NAMES = {
    "together": "Together AI", "groq": "Groq", "deepseek": "DeepSeek", "moonshotai": "Moonshot AI",
    "cerebras": "Cerebras", "huggingface_novita": "Novita", "huggingface_nebius": "Nebius",
    "huggingface_nscale": "Nscale", "huggingface_hyperbolic": "Hyperbolic", "huggingface_ovhcloud": "OVHcloud",
    "huggingface_sambanova": "SambaNova", "huggingface_fireworks-ai": "Fireworks",
}  # fmt: skip
"""The list's id of a provider → its name."""
OTHER_NAMES = {
    ("deepseek", "deepseek-v3.2"): "deepseek-ai/DeepSeek-V3.2",
    ("moonshotai", "kimi-k2-0905-preview"): "moonshotai/Kimi-K2-Instruct-0905",
    ("moonshotai", "kimi-k2.5"): "moonshotai/Kimi-K2.5",
    ("groq", "llama-3.3-70b-versatile"): "meta-llama/Llama-3.3-70B-Instruct",
    ("groq", "llama-3.1-8b-instant"): "meta-llama/Llama-3.1-8B-Instruct",
    ("groq", "qwen/qwen3-32b"): "Qwen/Qwen3-32B",
    ("groq", "moonshotai/kimi-k2-instruct"): "moonshotai/Kimi-K2-Instruct",
}
OLDEST = "2024-07"
"""Month of release from which on Together counts as running a model still."""
COLUMNS = ("model", "provider", "input", "output", "as_of", "source")


def rows(providers: list[Any], version: str, as_of: str) -> Iterator[dict[str, str]]:
    """One line a model and provider, the cheapest output first."""
    known = {(one.chat_id or name).lower(): name for name, one in models().items()}
    known |= {name.lower(): name for name in models()}
    for provider in providers:
        for model in provider.models if provider.id in NAMES else ():
            said = OTHER_NAMES.get((provider.id, model.id), model.id).removesuffix("-Turbo")
            name = known.get(said.lower()) or known.get(said.lower().replace("/meta-llama", "/llama"))
            asked = [getattr(model.prices, side, None) for side in ("input_mtok", "output_mtok")]
            if name and _served(provider.id, name) and all(isinstance(one, int | Decimal) and one > 0 for one in asked):
                yield {
                    "model": name, "provider": NAMES[provider.id], "input": str(asked[0]), "output": str(asked[1]),
                    "as_of": as_of, "source": f"genai-prices-{version}",
                }  # fmt: skip


def _order(row: dict[str, str]) -> tuple[str, Decimal, str]:
    return row["model"], Decimal(row["output"]), row["provider"]


def _served(provider: str, name: str) -> bool:
    """Whether it is offered still: the list keeps what Together once asked for models it has long dropped."""
    return provider != "together" or (models()[name].released or "") >= OLDEST


def main() -> None:
    """Write the table."""
    folder, version, as_of = sys.argv[1:]
    sys.path.insert(0, folder)
    sys.modules.setdefault("httpx2", types.ModuleType("httpx2"))  # fetches newer lists, which this does not
    from genai_prices.data import providers  # type: ignore[import-not-found]

    found = sorted(rows(providers, version, as_of), key=_order)
    with Path(FACTS / "api_prices.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(found)
    print(f"{len(found)} prices of {len({row['model'] for row in found})} models")


if __name__ == "__main__":
    main()

"""How much data a pre-training is reckoned with where nobody said."""

from assistant.plan import amounts, requests
from assistant.understanding import Understanding
from kb.projects import Project, project_in
from kb.records.source import Source
from tools.need import Need

TOKENS_PER_PARAMETER = 20
"""Text that uses a fixed compute budget best (Hoffmann et al., 2022, table 3: 20 to 22 tokens a parameter)."""
SOURCE = Source(
    id="chinchilla",
    title="Hoffmann et al., Training Compute-Optimal Large Language Models",
    url="https://arxiv.org/abs/2203.15556",
    date="2022-03",
)
_WANTS_TIME = ("which_to_buy", "budget", "cloud_or_buy", "how_many_gpus", "training_time")
"""Intents whose answer turns on how long it takes."""


def usual_data(understanding: Understanding, need: Need) -> int | None:
    """Tokens of the data, where a language model is to be trained from nothing and no amount was said.

    What the settings of a named project train on; else the compute-optimal amount.
    """
    asked = {need.intent, *understanding.asks} & set(_WANTS_TIME)
    if need.task != "pretrain" or need.dataset_tokens is not None or not asked or not requests.sized(need):
        return None
    if amounts.model_kind(need) not in (None, "llm", "vlm") or not need.params:
        return None
    project = recipe(understanding, need)
    return (project.dataset_tokens if project else None) or TOKENS_PER_PARAMETER * need.params


def recipe(understanding: Understanding, need: Need) -> Project | None:
    """The named project whose own settings say how much text its model is trained on."""
    project = project_in(understanding.text)
    own = project is not None and project.dataset_tokens is not None and need.model in (None, project.model)
    return project if own else None


def taken(understanding: Understanding, need: Need) -> bool:
    """Whether the data of the need is this usual amount."""
    if understanding.need.dataset_tokens is not None or need.dataset_tokens is None:
        return False
    return need.dataset_tokens == usual_data(understanding, need.model_copy(update={"dataset_tokens": None}))

"""Whether cards of several kinds are to share one model by its layers."""

from assistant.plan import requests
from assistant.plan.amounts import model_kind
from tools.need import Need

LANGUAGE = ("llm", "vlm", None)


def by_layers(need: Need) -> bool:
    """Whether unlike cards are in hand for a language model that llama.cpp may serve; other engines need equal ones."""
    unlike = len({card.gpu for card in need.gpus_owned}) > 1
    serves = not requests.is_training(need) and model_kind(need) in LANGUAGE
    return unlike and serves and need.engine in (None, "llama.cpp") and requests.sized(need)

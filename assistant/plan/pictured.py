"""Networks that see: picture size, batch and variant decide what their training takes, so one figure says little."""

from assistant.plan import requests
from assistant.plan.amounts import model_kind
from assistant.plan.call import PlannedCall
from assistant.understanding import Understanding
from kb.catalog import model
from kb.constants.pictures import pictures
from tools.need import GpuCount, Need

FEWER = 4
"""How many times smaller the batch is that is told beside the usual one."""


def turns_on_pictures(need: Need) -> bool:
    """Whether a network that sees is to be trained, and size or batch was left open."""
    stated = need.batch_size and (need.width_px or need.height_px)
    return requests.is_training(need) and model_kind(need) == "vision" and not stated


def beside(
    need: Need, understanding: Understanding, card: GpuCount | None, tasks: tuple[str, ...]
) -> list[PlannedCall | None]:
    """The other ways to train; of networks that see the smallest variant of the name, and a smaller batch."""
    if not turns_on_pictures(need) or need.model is None:
        return [requests.memory(need, card, task=task) for task in tasks]
    found = [requests.memory(_of(need, name), card) for name in _smaller(need, understanding)]
    usual = pictures().recipe(model(need.model).family).batch
    if need.batch_size is None and usual >= FEWER:
        found.append(requests.memory(need.model_copy(update={"batch_size": usual // FEWER}), card))
    return found


def _smaller(need: Need, understanding: Understanding) -> list[str]:
    """The smallest model that the same words may mean; none where the words mean one."""
    meant = [doubt.candidates for doubt in understanding.ambiguities if doubt.kind == "model" and not doubt.unknown]
    alike = [one for names in meant if need.model in names for one in names if one != need.model]
    smallest = min(alike, key=lambda one: model(one).params, default=None)
    return [smallest] if smallest and model(smallest).params < (need.params or model(need.model or "").params) else []


def _of(need: Need, name: str) -> Need:
    return need.model_copy(update={"model": name, "params": model(name).params})

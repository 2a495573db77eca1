"""What could be ordered beside the answer whether something fits."""

from assistant.answer import AnswerVerdict
from assistant.compose import acquisition
from assistant.compose.material import Estimate, Material
from assistant.compose.orders import in_hand, left_idle
from assistant.plan import needless, own_files, requests
from tools.configuration import Configuration


def to_order(material: Material, verdict: AnswerVerdict) -> list[Configuration]:
    """What could be ordered, as far as that was asked.

    Who asks whether a card holds the work, and learns that it does, is told of no other card; who has the card, of
    none to buy; who asks for the memory, or has a machine for smaller models of the series, of none at all.
    """
    found, need = material.configurations, material.need
    asks = acquisition.buys(material) or acquisition.priced(material) or need.budget is not None
    series = any(result["candidates"] for result in material.results("what_fits"))
    if not asks and (verdict == "estimate" or series or needless.asked(material.understanding)):
        return []  # who doubts that a card is needed is sold none of it
    own = own_files.asked(need, next(iter(requests.cards(need)), None))
    if verdict == "fits_with_changes" and own and not asks:
        return []  # the file that they hold is told, with its pace: another engine's format beside it misleads
    if verdict == "does_not_fit" and own:
        files = [one for one in found if (one.weight_format or "").startswith("gguf:")]
        return files or found  # as one runs models at home, not as a server does
    if verdict not in ("fits", "fits_with_changes") or (asks and not need.gpus_owned):
        return found
    named = set() if need.gpus_owned or need.memory_bytes_per_gpu else set(need.gpus_asked)
    kept = [one for one in found if in_hand(one) or one.gpu in named]
    full = [one for one in kept if not left_idle(material, one)]
    paced = any(one.get("tokens_per_s_total") for one in material.results("estimate_inference_speed"))
    told = full or (paced and material.intents[0] != "can_it_run")
    return full if told else kept  # whether it runs at all: some of the cards in hand do as well


def in_hand_with_room(material: Material, main: Estimate) -> bool:
    """Whether it fits with room on cards the asker has: then there is nothing to order."""
    has = bool(material.need.gpus_owned) or material.need.memory_bytes_per_gpu is not None
    return has and main.fit is not None and main.fit.verdict == "yes"

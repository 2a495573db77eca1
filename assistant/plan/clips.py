"""The program that makes clips where none was named: on a card of one's own ComfyUI, which moves parts in turn."""

from assistant.plan.amounts import model_kind
from kb.catalog import gpus
from tools.need import GpuCount, Need

PROGRAM = "comfyui"
"""It holds one of a model's experts at a time, and encodes the prompt before; the scripts that models are published
with are made for cards of 80 GB."""
MAKES = (None, "inference", "diffusion")
"""Tasks that make clips; the others train."""
OWN = ("consumer", "workstation", "laptop")
"""Markets of cards that stand in one person's computer."""


def program(need: Need, card: GpuCount | None) -> str | None:
    """What makes the clips, as a rule on cards of one's own; None where the work is another, the card a server's, or
    somebody said what runs it or what leaves the card."""
    if model_kind(need) != "video" or need.engine or need.offload or need.task not in MAKES:
        return None
    found = gpus().get(card.gpu) if card is not None else None
    return PROGRAM if found is None or found.market in OWN else None

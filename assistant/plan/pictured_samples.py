"""Tokens of the pictures that a vision-language model is trained on: "LoRA of Qwen2.5-VL-7B on 10k images"."""

from assistant.plan.amounts import count_of
from assistant.understand.worded import IMAGES
from assistant.understanding import Understanding
from kb.catalog import models
from tools.memory.visual import picture_tokens
from tools.need import Need

TEXT_TOKENS = 150
"""Tokens of the question and the answer beside a picture: a few lines."""


def each(need: Need) -> int | None:
    """Tokens of one sample, its pictures and the lines beside them; None for models that see none."""
    record = models().get(need.model or "")
    if record is None or record.kind != "vlm":
        return None
    picture = picture_tokens(record.name, record.family, need.width_px, need.height_px)
    return picture * (need.images_per_sample or 1) + TEXT_TOKENS


def tokens(understanding: Understanding, need: Need) -> int | None:
    """Tokens of all of them; None where no number of pictures was said."""
    counted, of_one = IMAGES.search(understanding.text), each(need)
    return count_of(counted) * of_one if counted and of_one else None

"""Sizes of pictures as people write them: 1024x1024 · 832*480 · 720p · 4K · buckets 1280/1536."""

from functools import lru_cache
from re import Pattern

from kb.base import BadInput, Frozen
from kb.lexicon.text import grammar, plain
from kb.lexicon.words import any_of, meaning, vocabulary

SIZES = {
    "480p": (832, 480), "720p": (1280, 720), "1080p": (1920, 1080), "1440p": (2560, 1440), "2160p": (3840, 2160),
    "1k": (1024, 1024), "2k": (2048, 2048), "4k": (3840, 2160),
}  # fmt: skip
"""480p as video models make it (832 × 480, a multiple of 16); the others by the standards of television."""
_BOTH = grammar(r"(\d{2,5}) ?(?:px)? ?(?:x|×|\*|by|乘) ?(\d{2,5})")
_ONE = grammar(r"(?<![\d.])(\d{3,4})(?![\d.])")
LEAST_PX, MOST_PX = 16, 32_768


class PictureSize(Frozen):
    """Width and height in pixels."""

    width_px: int
    height_px: int


def read_picture_size(text: str, field: str = "size") -> PictureSize:
    """The size that `text` says; one edge is a square's, of several the largest.

    Raises:
        BadInput: no size, or edges that no picture has.
    """
    words = plain(text)
    if pairs := _BOTH.findall(words):
        return _of(text, *max(((int(one), int(other)) for one, other in pairs), key=_area), field=field)
    if named := _names().search(words):
        return _of(text, *SIZES[str(meaning("picture", "names", named[0]))], field=field)
    if edges := _ONE.findall(words):
        return _of(text, edge := max(map(int, edges)), edge, field=field)
    raise BadInput(field, f"“{text[:60]}” holds no size of a picture.", "Write for instance “1024x1024” or “720p”.")


def _area(pair: tuple[int, int]) -> int:
    return pair[0] * pair[1]


def _of(text: str, width: int, height: int, *, field: str) -> PictureSize:
    if not all(LEAST_PX <= edge <= MOST_PX for edge in (width, height)):
        raise BadInput(field, f"“{text[:60]}” is no picture's size.", f"Edges are {LEAST_PX} to {MOST_PX:,} pixels.")
    return PictureSize(width_px=width, height_px=height)


@lru_cache(maxsize=1)
def _names() -> Pattern[str]:
    return grammar(any_of(vocabulary("picture", "names")))

"""How many tokens pictures and video put into a sequence, by family of vision-language model."""

from functools import lru_cache
from pathlib import Path

from kb.base import Frozen
from kb.snapshot import load_yaml

_FILE = Path(__file__).parents[1] / "facts" / "visual_tokens.yaml"


class Video(Frozen):
    """What a processor makes of a video."""

    pair: int
    """Consecutive frames that share their tokens."""
    frame_most: int
    """Tokens of a frame, or of a pair, at most."""
    video_most: int
    """Tokens of a whole video at most."""
    per_s: float
    """Frames taken a second."""
    frames_most: int


class Eye(Frozen):
    """What a family's processor makes of a picture."""

    cell_px: int | None = None
    """Pixels a side that one token sees; null = a fixed number of tokens a tile."""
    tokens: int | None = None
    """Tokens a tile."""
    tiles: int = 0
    """Tiles a large picture is cut into at most, beside an overview."""
    most: int
    usual: int
    """Tokens of a picture whose size nobody said."""
    mostly_text: bool = False
    """Whether people train these models on text more often than on pictures."""
    source: str
    video: Video


class VisualTokens(Frozen):
    """Everything in `facts/visual_tokens.yaml`."""

    tower_bytes_per_token: int
    """A layer of the vision tower, while it runs."""
    tower_source: str
    text_tokens: int
    page_answer_tokens: int
    picture_answer_tokens: int
    """What is written of a page, and of a picture, where nobody said how much."""
    answer_source: str
    video_px: tuple[int, int]
    """Width and height of a video whose size nobody said."""
    default: Eye
    families: dict[str, Eye]

    def eye(self, *names: str) -> Eye:
        """That of the family one of the names begins with, the longest match; else the usual."""
        fitting = [key for key in self.families for name in names if name.lower().startswith(key.lower())]
        return self.families[max(fitting, key=len)] if fitting else self.default


@lru_cache(maxsize=1)
def visual_tokens() -> VisualTokens:
    """The constants, loaded on first use."""
    return VisualTokens.model_validate(load_yaml(_FILE))

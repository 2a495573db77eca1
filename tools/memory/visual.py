"""What pictures and video add to a sequence of a vision-language model."""

import math
from typing import NamedTuple

from kb.constants.visual_tokens import Eye, visual_tokens
from tools.memory.request import MemoryRequest
from tools.memory.shape import Shape


class Seen(NamedTuple):
    """Visual tokens of one sequence, and how they came about."""

    tokens: int
    said: tuple[str, ...]


def seen(request: MemoryRequest, shape: Shape) -> Seen:
    """Tokens of the pictures and of the video that every sequence carries.

    picture: (width / cell) · (height / cell), or tokens · tiles, at most what the processor allows;
    video: frames / pair · tokens of a frame, at most `video_most`; frames = seconds · frames a second.
    Source: the processors of the families, see `kb/facts/visual_tokens.yaml`.
    """
    if shape.kind != "vlm":
        return Seen(0, ())
    eye, tokens, said = visual_tokens().eye(shape.name, shape.family), 0, []
    if request.images_per_sample:
        each = _picture(eye, request.width_px, request.height_px)
        tokens += request.images_per_sample * each
        said.append(f"{request.images_per_sample} picture(s) a sequence, {each:,} visual tokens each.")
    frames = _frames(eye, request)
    if frames:
        stated = (request.width_px, request.height_px)
        size = stated if any(stated) else visual_tokens().video_px
        each = min(_picture(eye, *size), eye.video.frame_most)
        total = min(math.ceil(frames / eye.video.pair) * each, eye.video.video_most)
        tokens += total
        shown = "" if any(stated) else f" of {size[0]} × {size[1]} pixels"
        said.append(f"Video: {frames} frames{shown}, {each:,} tokens for {eye.video.pair}: {total:,} visual tokens.")
    return Seen(tokens, tuple(said))


def picture_tokens(name: str, family: str | None, width: int | None = None, height: int | None = None) -> int:
    """Tokens that one picture of that size, or of the usual one, puts into a prompt."""
    return _picture(visual_tokens().eye(name, family or name), width, height)


def _picture(eye: Eye, width: int | None, height: int | None) -> int:
    """Tokens of one picture."""
    wide, high = width or height, height or width
    if not wide or not high:
        return eye.usual
    if eye.cell_px:
        return min(max(round(wide / eye.cell_px), 1) * max(round(high / eye.cell_px), 1), eye.most)
    each = eye.tokens or eye.usual
    tiles = min(max(round(wide / 448) * round(high / 448), 1), eye.tiles) if eye.tiles else 0
    return min(each * (tiles + 1 if tiles > 1 else 1), eye.most)


def _frames(eye: Eye, request: MemoryRequest) -> int:
    """Frames a sequence carries: as stated, or by length and rate, within what the processor takes."""
    stated = request.frames or round((request.video_s or 0) * (request.frames_per_s or eye.video.per_s))
    return min(stated, eye.video.frames_most) if stated else 0

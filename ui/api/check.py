"""`/v1/check`: a set-up checked before it runs, as a file or as text."""

from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import Field

from kb.base import Frozen
from tools.check_setup import SetupCheck, SetupRequest, check_setup
from tools.check_setup.request import LONGEST

EXAMPLE = "CUDA_VISIBLE_DEVICES=0,1 vllm serve Qwen/Qwen3-32B --tensor-parallel-size 4"


class ToCheck(Frozen):
    """One set-up, with the files it refers to."""

    text: str = Field(min_length=1, max_length=LONGEST, examples=[EXAMPLE])
    """Command, script, configuration or manifest, whole: the content of a .sh, .json, .yaml, .txt or .log file."""
    name: str | None = Field(default=None, max_length=200)
    """Name of the file."""
    beside: tuple[Annotated[str, Field(max_length=LONGEST)], ...] = Field(default=(), max_length=16)
    """Other files it refers to."""
    cards: str | None = Field(default=None, max_length=200, examples=["2x L40S"])
    """Cards of one machine, as people write them; null = as the text says."""
    model: str | None = Field(default=None, max_length=200)
    """The model, where the text names it by a path."""


def router() -> APIRouter:
    """The one route."""
    routes = APIRouter(prefix="/v1", tags=["tools"])

    @routes.post("/check", summary="What is wrong with a command, a configuration or a manifest")
    def check(body: ToCheck) -> SetupCheck:
        """Findings with line, why, fix and source, and the corrected text; secrets are hidden in all that is told."""
        asked: dict[str, Any] = {name: value for name, value in body.model_dump().items() if value}
        return check_setup(SetupRequest.model_validate(asked))

    return routes

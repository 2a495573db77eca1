"""Which language model was chosen, and how models did on trial: `models.json` in the home."""

import os
import tempfile
from datetime import date
from pathlib import Path

from pydantic import Field, ValidationError

from kb.base import BadInput, Frozen

FILE = "models.json"


class ModelChoice(Frozen):
    """The model a person chose, which the settings name where the environment names none."""

    name: str
    """As the person names it, `ollama:qwen3:8b`."""
    llm: str
    """As the settings name it, `provider:model`."""
    base_url: str | None = None
    """Address of its server; none = the provider's own."""
    key_variable: str | None = None
    """Environment variable that holds its key. The key itself is never kept."""
    day: date
    """Day it was chosen."""


class ModelTrial(Frozen):
    """How one model did on the scored questions."""

    name: str
    """As the person names it."""
    llm: str
    """As the settings name it."""
    base_url: str | None = None
    """Address of its server; none = the provider's own."""
    passed: bool
    """Whether it got enough of them right to drive."""
    right: int
    """Questions that met every check."""
    of: int
    """Questions asked."""
    failed: dict[str, list[str]] = Field(default_factory=dict)
    """Question -> the checks it failed."""
    seconds: float
    """Wall time of all of them."""
    tokens: int | None = None
    """Tokens the model counted, prompts and replies; null where it did not say."""
    day: date
    """Day it was tried."""


class Models(Frozen):
    """What the home knows of language models."""

    chosen: ModelChoice | None = None
    trials: tuple[ModelTrial, ...] = ()

    def trial(self, llm: str, base_url: str | None) -> ModelTrial | None:
        """The last trial of a model at an address."""
        found = [one for one in self.trials if (one.llm, one.base_url) == (llm, base_url)]
        return found[-1] if found else None

    def tried(self, trial: ModelTrial) -> "Models":
        """The same with one trial more, which takes the place of an older one of that model."""
        others = [one for one in self.trials if (one.llm, one.base_url) != (trial.llm, trial.base_url)]
        return self.model_copy(update={"trials": (*others, trial)})


def read_models(home: Path) -> Models:
    """What the home knows; nothing where it holds no such file.

    Raises:
        BadInput: the file cannot be read.
    """
    path = home / FILE
    try:
        text = path.read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return Models()
    except (OSError, UnicodeDecodeError) as problem:
        raise BadInput(FILE, f"cannot be read: {_reason(problem)}.", f"Delete {path} and choose anew.") from None
    try:
        return Models.model_validate_json(text)
    except ValidationError as problem:
        where = ".".join(map(str, problem.errors()[0]["loc"])) or "the file"
        raise BadInput(FILE, f"{where} is not as it was written.", f"Delete {path} and choose anew.") from None


def write_models(home: Path, models: Models) -> None:
    """Keep it, whole or not at all.

    Raises:
        BadInput: the home cannot be written.
    """
    try:
        home.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", dir=home, prefix=FILE, suffix=".new", delete=False
        ) as new:
            new.write(models.model_dump_json(indent=2) + "\n")
        os.replace(new.name, home / FILE)  # noqa: PTH105 - one step, over what is there
    except OSError as problem:
        raise BadInput("GPU_ADVISOR_HOME", f"cannot be written: {_reason(problem)}.", "Name another folder.") from None


def _reason(problem: Exception) -> str:
    return str(getattr(problem, "strerror", None) or "it is not UTF-8")

"""Models: the files that say what a model is."""

from kb.artifacts.artifact import Format
from kb.artifacts.models import configuration, gguf

FORMATS: tuple[Format, ...] = (
    configuration.CONFIG, configuration.GENERATION, configuration.INDEX, configuration.PARAMS, gguf.FORMAT,
)  # fmt: skip

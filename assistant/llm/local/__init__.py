"""A language model in this process: `local`, or `local:FILE.gguf`."""

from typing import TYPE_CHECKING

from kb.settings import Settings, hub_address

if TYPE_CHECKING:
    from assistant.llm.local.chat import LocalChat

NAME = "local"


def is_local(name: str | None) -> bool:
    """Whether a model of the settings runs in this process."""
    return name is not None and (name == NAME or name.startswith(f"{NAME}:"))


def local_model(name: str, options: Settings) -> "LocalChat":
    """The model that `name` names; the default one is fetched first where it is not there yet.

    Raises:
        BadInput: its file is none, or the library is not installed.
        ModelFailed: the default one could not be fetched.
    """
    from assistant.llm.local.chat import LocalChat
    from assistant.llm.local.engine import check_installed
    from assistant.llm.local.files import CONTEXT_TOKENS, default, fetched, own_file

    check_installed()
    _, _, path = name.partition(":")
    if path:
        return LocalChat(path=own_file(path), context_tokens=CONTEXT_TOKENS, within_s=options.llm_timeout_s)
    wanted = default()
    file = fetched(wanted, options.home, hub_address())
    return LocalChat(path=file, context_tokens=wanted.context_tokens, within_s=options.llm_timeout_s)

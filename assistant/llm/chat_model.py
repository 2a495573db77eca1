"""The chat model that the settings name, from any provider LangChain knows."""

from typing import Any

from langchain.chat_models import init_chat_model
from langchain_core.language_models import BaseChatModel

from assistant.llm.local import is_local, local_model
from assistant.llm.provider import bounded_client
from kb.base import BadInput
from kb.settings import Settings


def chat_model(name: str, options: Settings) -> BaseChatModel:
    """The model `name` of the settings: `provider:model`, `local` or `local:FILE.gguf`.

    Raises:
        BadInput: the setting names no provider, or one that is not installed.
        ModelFailed: the local model could not be fetched.
    """
    if is_local(name):
        return local_model(name, options)
    extra: dict[str, Any] = {"timeout": options.llm_timeout_s, "max_retries": 1}
    if options.llm_base_url:
        extra["base_url"] = options.llm_base_url
    if options.llm_api_key:
        extra["api_key"] = options.llm_api_key
    if name.startswith("openai:"):
        extra["http_client"] = bounded_client(options.llm_timeout_s)
    try:
        model: BaseChatModel = init_chat_model(name, temperature=0, **extra)
    except (ValueError, ImportError) as problem:
        raise BadInput(
            "GPU_ADVISOR_LLM", str(problem)[:300], "Write provider:model, e.g. openai:gpt-4o-mini."
        ) from None
    return model

"""The local model as a LangChain chat model: text, tool calls, JSON under a schema, streamed."""

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.messages.tool import ToolCallChunk, tool_call_chunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool

from assistant.llm.local.engine import Engine, engine, grammar
from assistant.llm.local.words import heard, new_id, one_of, wire, wire_plain
from kb.base import ModelFailed

REPLY_TOKENS_MAX = 2048


class LocalChat(BaseChatModel):
    """A GGUF file that llama.cpp runs in this process; loaded with the first question.

    Where the model's own template has a form for tools, and it is free to call or not, that form is used. Everywhere
    else its reply is held to a JSON schema of the calls that are possible: it can then not misspell one.
    """

    path: Path
    """The file."""
    context_tokens: int
    """Longest prompt and reply together."""
    within_s: float
    """Longest wait for one reply, and for those before it."""
    reply_tokens_max: int = REPLY_TOKENS_MAX
    """Longest reply."""
    template: str | None = None
    """A chat template in the place of the file's own."""

    @property
    def _llm_type(self) -> str:
        return "local"

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return {"path": str(self.path), "context_tokens": self.context_tokens}

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | dict[str, Any] | bool | None = None,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """The same model with tools; with a choice of `any`, `required` or a tool's name it has to call."""
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], tool_choice=tool_choice, **kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        whole: ChatGenerationChunk | None = None
        for chunk in self._stream(messages, stop, run_manager, **kwargs):
            whole = chunk if whole is None else whole + chunk
        if whole is None or not isinstance(whole.message, AIMessageChunk):
            raise ModelFailed("the local model said nothing.")
        said = whole.message
        message = AIMessage(
            content=said.content, tool_calls=said.tool_calls, invalid_tool_calls=said.invalid_tool_calls,
            usage_metadata=said.usage_metadata, response_metadata=said.response_metadata,
        )  # fmt: skip
        return ChatResult(generations=[ChatGeneration(message=message)])

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        loaded = engine(self.path, self.context_tokens, self.template)
        tools = _offered(kwargs.get("tools") or [], kwargs.get("tool_choice"))
        must = kwargs.get("tool_choice") not in (None, False, "auto", "none")
        held = bool(tools) and (must or not loaded.calls_tools)
        request = self._request(messages, stop, kwargs, tools, held=held, must=must)
        chunks = self._held(loaded, request, tools) if held else self._free(loaded, request)
        for chunk in chunks:
            if run_manager is not None and chunk.text:
                run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk

    def _request(
        self,
        messages: Sequence[BaseMessage],
        stop: list[str] | None,
        options: dict[str, Any],
        tools: list[dict[str, Any]],
        *,
        held: bool,
        must: bool,
    ) -> dict[str, Any]:
        request: dict[str, Any] = {
            "messages": wire_plain(messages, tools, may_answer=not must) if held else wire(messages),
            "max_tokens": options.get("max_tokens") or self.reply_tokens_max,
            "temperature": options.get("temperature", 0.0),
            "chat_template_kwargs": {"enable_thinking": False},  # aloud it takes minutes on a processor
            "cache_prompt": True,
        }
        if stop:
            request["stop"] = stop
        asked = options.get("response_format") or {}
        if held:
            request["grammar"] = grammar(one_of(tools, may_answer=not must))
        elif tools:
            request |= {"tools": tools, "tool_choice": "auto"}
        elif schema := (asked.get("json_schema") or {}).get("schema"):
            request["grammar"] = grammar(schema)
        elif asked:
            request["response_format"] = asked
        return request

    def _held(
        self, loaded: Engine, request: dict[str, Any], tools: Sequence[dict[str, Any]]
    ) -> Iterator[ChatGenerationChunk]:
        """The reply under a schema: nothing of it can be shown before it is whole."""
        text, last = "", AIMessageChunk(content="")
        for chunk in self._free(loaded, request):
            text += chunk.text
            if isinstance(chunk.message, AIMessageChunk) and chunk.message.usage_metadata:
                last = chunk.message
        said, calls = heard(text, tools)
        written = [_call(call["name"], json.dumps(call["args"], ensure_ascii=False), call["id"], 0) for call in calls]
        message = AIMessageChunk(
            content=said, tool_call_chunks=written, usage_metadata=last.usage_metadata,
            response_metadata=last.response_metadata,
        )  # fmt: skip
        yield ChatGenerationChunk(message=message)

    def _free(self, loaded: Engine, request: dict[str, Any]) -> Iterator[ChatGenerationChunk]:
        """The reply as it comes: text, calls in the model's own form, and at last what it counted."""
        reason = "stop"
        for piece in loaded.chunks(request, self.within_s):
            choice: dict[str, Any] = next(iter(piece.get("choices") or ()), {})
            delta = choice.get("delta") or {}
            reason = choice.get("finish_reason") or reason
            calls = [_called(call) for call in delta.get("tool_calls") or ()]
            if delta.get("content") or calls:
                message = AIMessageChunk(content=delta.get("content") or "", tool_call_chunks=calls)
                yield ChatGenerationChunk(message=message)
            if usage := piece.get("usage"):
                told = {"finish_reason": reason, "model_name": self.path.name}
                message = AIMessageChunk(content="", usage_metadata=_usage(usage), response_metadata=told)
                yield ChatGenerationChunk(message=message)


def _offered(tools: list[dict[str, Any]], choice: Any) -> list[dict[str, Any]]:
    """The tools that may be called: none, all, or the one that is named."""
    if choice == "none":
        return []
    named = choice.get("function", {}).get("name") if isinstance(choice, dict) else choice
    return [tool for tool in tools if tool["function"]["name"] == named] or tools


def _called(piece: dict[str, Any]) -> ToolCallChunk:
    """A piece of a call as the library streams it: the first has the name, those after it more of the arguments."""
    function = piece.get("function") or {}
    name = function.get("name") or None
    identity = (piece.get("id") or new_id()) if name else None
    return _call(name, function.get("arguments") or "", identity, int(piece.get("index", 0)))


def _call(name: str | None, arguments: str, identity: str | None, index: int) -> ToolCallChunk:
    return tool_call_chunk(name=name, args=arguments, id=identity, index=index)


def _usage(said: dict[str, Any]) -> UsageMetadata:
    prompt, completion = int(said.get("prompt_tokens", 0)), int(said.get("completion_tokens", 0))
    return UsageMetadata(input_tokens=prompt, output_tokens=completion, total_tokens=prompt + completion)

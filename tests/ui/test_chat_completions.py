"""The OpenAI wire format, proved with the official client over the real application."""

import asyncio
from typing import Any

import openai
import pytest
from fastapi.testclient import TestClient
from langchain_core.messages import AIMessage, HumanMessage
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from assistant.agent import Advisor
from assistant.answer import ModelTokens
from ui.api.chat_completions import usage, whole

QUESTION = "Can 4×3090 run Qwen2.5-72B?"


@pytest.fixture
def client(site: TestClient) -> openai.OpenAI:
    """The official client, over the application instead of a socket, which it must not close."""
    return openai.OpenAI(base_url="http://127.0.0.1:7860/v1", api_key="none", http_client=site, max_retries=0)


def user(text: str) -> Any:
    return {"role": "user", "content": text}


def test_the_model_list_holds_the_advisor(client: openai.OpenAI) -> None:
    assert [model.id for model in client.models.list()] == ["gpu-advisor"]


def test_a_completion_is_the_answer_as_markdown(client: openai.OpenAI, advisor: Advisor) -> None:
    done = client.chat.completions.create(model="gpu-advisor", messages=[user(QUESTION)])
    text = done.choices[0].message.content or ""
    assert done.choices[0].finish_reason == "stop"
    assert text.startswith(advisor.ask(QUESTION).answer[:80])
    assert "[1]" in text


def test_a_streamed_completion_says_the_same(client: openai.OpenAI) -> None:
    whole = client.chat.completions.create(model="gpu-advisor", messages=[user(QUESTION)])
    chunks = list(client.chat.completions.create(model="gpu-advisor", messages=[user(QUESTION)], stream=True))
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks)
    assert text.strip() == whole.choices[0].message.content
    assert chunks[-1].choices[0].finish_reason == "stop"
    assert len(chunks) > 4


def test_usage_is_what_a_language_model_counted(client: openai.OpenAI, advisor: Advisor) -> None:
    answer = advisor.ask(QUESTION)
    assert usage(answer) == {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
    driven = answer.model_copy(update={"model_tokens": ModelTokens(prompt=1200, completion=340)})
    assert whole(driven)["usage"] == {"prompt_tokens": 1200, "completion_tokens": 340, "total_tokens": 1540}
    asked: dict[str, Any] = {"model": "gpu-advisor", "messages": [user(QUESTION)], "stream": True}
    plain = list(client.chat.completions.create(**asked))
    told = list(client.chat.completions.create(**asked, stream_options={"include_usage": True}))
    assert not any(chunk.usage for chunk in plain)
    assert told[-1].choices == []
    assert told[-1].usage.total_tokens == 0


def test_earlier_messages_are_the_conversation(client: openai.OpenAI) -> None:
    first = client.chat.completions.create(model="gpu-advisor", messages=[user(QUESTION)])
    said = first.choices[0].message.content
    second = client.chat.completions.create(
        model="gpu-advisor",
        messages=[user(QUESTION), {"role": "assistant", "content": said}, user("and with 4-bit?")],
    )
    extra = second.model_extra or {}
    assert extra["gpu_advisor"]["need"]["model"] == (first.model_extra or {})["gpu_advisor"]["need"]["model"]
    assert extra["gpu_advisor"]["conversation_id"] == (first.model_extra or {})["gpu_advisor"]["conversation_id"]


def test_a_conversation_that_is_not_known_here_is_replayed(client: openai.OpenAI) -> None:
    messages = [user("Can 2×4090 run Llama-3.1-70B?"), {"role": "assistant", "content": "…"}, user("and with 4-bit?")]
    answer = client.chat.completions.create(model="gpu-advisor", messages=messages, user="someone else")
    need = (answer.model_extra or {})["gpu_advisor"]["need"]
    assert "70B" in need["model"]
    assert need["gpus_owned"] or need["gpus_asked"]


def test_two_chats_that_begin_alike_do_not_mix(client: openai.OpenAI, advisor: Advisor) -> None:
    begin = "Can 4×3090 run Llama-3.1-70B?"
    ids = set()
    for follow_up in ("and with 4-bit?", "and with 8-bit?"):
        client.chat.completions.create(model="gpu-advisor", messages=[user(begin)])
        messages = [user(begin), {"role": "assistant", "content": "…"}, user(follow_up)]
        answer = client.chat.completions.create(model="gpu-advisor", messages=messages)
        ids.add((answer.model_extra or {})["gpu_advisor"]["conversation_id"])
    assert len(ids) == 2
    assert all(len(advisor.conversations.history(name)) == 2 for name in ids)


def test_system_messages_and_text_parts_are_accepted(client: openai.OpenAI) -> None:
    parts: Any = [
        {"role": "system", "content": "Say 1 GB."},
        {"role": "user", "content": [{"type": "text", "text": QUESTION}]},
    ]
    answer = client.chat.completions.create(model="gpu-advisor", messages=parts, temperature=0.3, max_tokens=10)
    assert "1 GB" not in (answer.choices[0].message.content or "")[:80]


@pytest.mark.parametrize("messages", [[user("")], [{"role": "assistant", "content": "hello"}]])
def test_without_a_question_the_client_is_told_so(client: openai.OpenAI, messages: Any) -> None:
    with pytest.raises(openai.UnprocessableEntityError) as refusal:
        client.chat.completions.create(model="gpu-advisor", messages=messages)
    assert refusal.value.param == "messages"


def test_langchains_client_invokes_streams_and_continues(address: str) -> None:
    model = ChatOpenAI(base_url=f"{address}/v1", api_key=SecretStr("none"), model="gpu-advisor", max_retries=0)
    whole = model.invoke(QUESTION)
    assert "[1]" in whole.text
    streamed = "".join(chunk.text for chunk in model.stream(QUESTION))
    assert streamed.strip() == whole.text.strip()
    later = model.invoke([HumanMessage(QUESTION), AIMessage(whole.text), HumanMessage("and with 4-bit?")])
    assert "Qwen2.5-72B" in later.text
    assert later.response_metadata["finish_reason"] == "stop"


def test_the_asynchronous_client_streams(address: str) -> None:
    async def run() -> str:
        async with openai.AsyncOpenAI(base_url=f"{address}/v1", api_key="none", max_retries=0) as client:
            stream = await client.chat.completions.create(model="gpu-advisor", messages=[user(QUESTION)], stream=True)
            return "".join([chunk.choices[0].delta.content or "" async for chunk in stream if chunk.choices])

    assert "[1]" in asyncio.run(run())

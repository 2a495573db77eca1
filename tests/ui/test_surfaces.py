"""One advisor, many faces: the same question gives the same Answer wherever it is asked, and so does every tool."""

import asyncio
import json
import re
from typing import Any

import pytest
from fastapi.testclient import TestClient
from mcp import Client
from reliability.questions import POPULAR

from assistant.agent import Advisor
from assistant.llm.toolbox import toolbox
from tools.agent_tools.ledger import Ledger
from tools.agent_tools.toolset import agent_tools
from tools.registry import tools
from ui.assets import requests
from ui.cli import main
from ui.mcp_server import create_server
from ui.web.page import answering

QUESTIONS = [
    *POPULAR[:8],
    "写一首关于春天的诗",
    "Can 2×RTX 9999 run Llama-3.1-8B?",
    "And how much VRAM does a LoRA of Qwen2.5-14B take at 8k?",
    "H20 和 A800 跑推理哪个快？",
    "How long does it take to train a 1.3B model on 30B tokens with 8 H100s?",
    "8 卡 4090 的机器要多大的电源？",
    "Is it cheaper to rent or to buy one RTX 4090 if I use it 4 hours a day?",
    "CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 23.69 GiB total) — LoRA of a 13B on my 3090",
    "V100 支持 BF16 和 FlashAttention-2 吗？",
    "Do I need NVLink for tensor parallel over two cards?",
    "SDXL 训练 LoRA 最低要多少显存？",
    "推荐一张显卡",
]
REQUESTS = requests()
OF_THE_TURN = {"id", "conversation_id", "elapsed_s"}


def lasting(answer: dict[str, Any]) -> dict[str, Any]:
    """The answer without what differs from turn to turn."""
    return {name: value for name, value in answer.items() if name not in OF_THE_TURN}


def by_mcp(advisor: Advisor, name: str, arguments: dict[str, Any]) -> Any:
    """A tool's result over MCP."""

    async def run() -> Any:
        async with Client(create_server(lambda: advisor)) as client:
            return await client.call_tool(name, arguments)

    return asyncio.run(run()).structured_content


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_face_gives_the_same_answer(
    advisor: Advisor, site: TestClient, capsys: pytest.CaptureFixture[str], question: str
) -> None:
    direct = lasting(advisor.ask(question).model_dump(mode="json"))
    assert lasting(site.post("/v1/ask", json={"question": question}).json()) == direct

    stream = site.post("/v1/ask/stream", json={"question": question}).text
    assert lasting(json.loads(stream.strip().rsplit("data: ", 1)[1])) == direct

    chat = {"model": "gpu-advisor", "messages": [{"role": "user", "content": question}]}
    assert lasting(site.post("/v1/chat/completions", json=chat).json()["gpu_advisor"]) == direct

    assert lasting(by_mcp(advisor, "ask", {"question": question})) == direct

    capsys.readouterr()
    assert main(["ask", question, "--json"]) == 0
    assert lasting(json.loads(capsys.readouterr().out)) == direct

    conversation = "page-" + re.sub(r"\W", "", str(abs(hash(question))))
    shown = list(answering(advisor, question, conversation))
    kept = advisor.conversations.history(conversation)[-1]
    assert lasting(kept.model_dump(mode="json")) == direct
    assert f'data-conversation="{conversation}"' in shown[-1][1]


def test_every_tool_has_a_request_to_try() -> None:
    assert list(REQUESTS) == list(tools())


@pytest.mark.parametrize("name", REQUESTS)
def test_every_face_gives_the_same_result_of_a_tool(
    advisor: Advisor, site: TestClient, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    direct = tools()[name].call(REQUESTS[name]).model_dump(mode="json")
    assert site.post(f"/v1/tools/{name}", json=REQUESTS[name]).json() == direct
    capsys.readouterr()
    assert main(["tool", name, "--json", json.dumps(REQUESTS[name])]) == 0
    assert json.loads(capsys.readouterr().out) == direct


@pytest.mark.parametrize(
    ("name", "request_"),
    [
        pytest.param("find_ways_to_run", {"model": "Qwen2.5-32B", "cards": "2x 4090"}, id="ways-to-run"),
        pytest.param("look_up", {"kind": "spec", "names": ["L40S", "4090"]}, id="look-up"),
        pytest.param("cost", {"what": "power", "cards": "4x 3090"}, id="cost"),
        pytest.param("look_up", {"kind": "spec", "names": ["RTX 9999"]}, id="refused"),
    ],
)
def test_mcp_gives_a_client_what_a_driving_model_reads(advisor: Advisor, name: str, request_: dict[str, Any]) -> None:
    read = {one.name: one for one in toolbox(Ledger(), ())}[name].invoke(request_)
    said = by_mcp(advisor, name, request_)
    driven = json.loads(read)
    assert {field: said[field] for field in said if field != "key"} == {
        field: value for field, value in driven.get("error", driven).items() if field != "key"
    }


def test_mcp_lists_only_what_a_model_sees(advisor: Advisor) -> None:
    hidden = set(tools()) - set(agent_tools())
    assert len(hidden) > 10
    assert by_mcp(advisor, "estimate_memory", REQUESTS["estimate_memory"])["code"] == "unknown_name"


def test_rest_and_the_command_line_refuse_in_the_same_words(
    site: TestClient, capsys: pytest.CaptureFixture[str]
) -> None:
    request = {"model": "Qwen9-72B"}
    refusal = site.post("/v1/tools/estimate_memory", json=request).json()
    assert "Qwen9-72B" in refusal["detail"]
    assert refusal["close"]
    assert main(["tool", "estimate_memory", "--json", json.dumps(request)]) == 2
    assert refusal["detail"] in capsys.readouterr().err

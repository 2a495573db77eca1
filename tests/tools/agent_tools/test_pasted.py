"""What a person pasted reaches the solver without a model copying it out."""

import pytest

from kb.base import BadInput
from tools.agent_tools.desk import Desk
from tools.agent_tools.explaining import ExplainRequest, explain
from tools.agent_tools.ledger import Ledger
from tools.agent_tools.toolset import agent_tool

MESSAGE = "Is this normal on a 3090?\nqwen3:32b 030ee887880f 28 GB 21%/79% CPU/GPU 4096\neval rate: 9.31 tokens/s"


def explained(error_text: str, *words: str) -> dict[str, object]:
    request = ExplainRequest(model="qwen3:32b", cards="RTX 3090", engine="ollama", error_text=error_text)
    return explain(request, Desk(Ledger(), words))


def test_pasted_stands_for_what_the_person_pasted() -> None:
    told = explained("pasted", MESSAGE)
    assert {fact for one in told["stated"] for fact in one["facts"]} >= {"line 2: tokens_per_s = 9.31 tokens/s"}
    assert told["answer"]["seen"] == "9.31 tokens/s"


def test_pasted_where_nothing_was_written_is_refused() -> None:
    with pytest.raises(BadInput):
        explained("pasted")


def test_cards_of_a_pasted_table_are_the_set_up_where_none_are_named() -> None:
    table = (
        "$ ollama ps\nNAME             ID            SIZE    PROCESSOR        CONTEXT  UNTIL\n"
        "llama3.3:70b     d37b54d01a76  54 GB   13%/87% CPU/GPU  32768    4 minutes from now\n"
        "$ nvidia-smi --query-gpu=name,memory.used,memory.total,utilization.gpu --format=csv\n"
        "name, memory.used [MiB], memory.total [MiB], utilization.gpu [%]\n"
        "NVIDIA GeForce RTX 3090, 23187 MiB, 24576 MiB, 31 %\nNVIDIA GeForce RTX 3090, 22954 MiB, 24576 MiB, 28 %\n"
    )
    asked = {"error_text": "pasted", "symptom": "only 5 tokens/s"}
    found = agent_tool("explain").look_up(asked, Ledger(), (f"{table}\nwhy so slow?",)).shown
    assert found["answer"]["verdict"] == "high"
    assert found["answer"]["seen"] == "13 %"
    assert found["causes"][0]["id"] == "layers_on_cpu"


def test_an_error_of_no_known_form_is_taken_from_the_last_message() -> None:
    words = ("hello", "it says: RuntimeError: cuBLAS failed with status CUBLAS_STATUS_NOT_SUPPORTED, why?")
    found = agent_tool("explain").look_up({"error_text": "pasted", "cards": "5070 Ti"}, Ledger(), words)
    assert not found.failed
    assert found.shown["causes"]

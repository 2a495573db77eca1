"""`explain` on failures that threads confirmed, as calls; and what it does where names or words are unknown."""

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
import yaml

from kb.base import UnknownName
from kb.records.passage import Passage
from tools.agent_tools.desk import Desk
from tools.agent_tools.explaining import ExplainRequest, explain, sharding
from tools.agent_tools.ledger import Ledger

CASES = yaml.safe_load((Path(__file__).parents[2] / "cases" / "explained_failures.yaml").read_text(encoding="utf-8"))
NORMAL = "*normal"
KNOWN_MISSES = {"wan-l20", "wan-3090-267", "p104-a"}
"""Clips whose thread and estimate disagree on what is usual; a program that was not said, of those that leave layers to
the processor."""


def explained(**call: Any) -> dict[str, Any]:
    return explain(ExplainRequest.model_validate(call), Desk(Ledger()))


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_the_confirmed_cause_is_among_the_first_three(case: dict[str, Any]) -> None:
    found = explained(**case["call"])
    named = [one["id"] for one in found["causes"][:3]]
    right = any(one in case["right"] for one in named) or (
        NORMAL in case["right"] and found["answer"].get("verdict") == "normal"
    )
    assert right is (case["id"] not in KNOWN_MISSES), named


def test_every_case_is_of_one_half_and_once() -> None:
    assert {case["half"] for case in CASES} == {"seen", "left", "fresh", "last", "first", "second", "third", "fourth"}
    assert len({case["id"] for case in CASES}) == len(CASES)


def test_a_cause_says_what_it_rests_on_and_how_to_check_it() -> None:
    for one in explained(cards="RTX 5090", task="lora", symptom="the PC goes black when training starts")["causes"]:
        assert one["rests_on"]
        assert one["check"]
        assert one["fix"]


def test_an_unknown_card_is_left_out_and_said_where_a_text_tells_enough() -> None:
    found = explained(
        cards="GTX 960M", error_text="CUDA error: no kernel image is available for execution on the device"
    )

    assert found["causes"][0]["id"] == "wheel_without_arch"
    assert any("960M" in warning for warning in found["warnings"])


def test_an_unknown_card_is_refused_where_nothing_else_is_told() -> None:
    with pytest.raises(UnknownName):
        explained(model="qwen3-8b", cards="GTX 960M", seen={"tokens_per_s": "3"})


def test_passages_of_guidance_come_where_nothing_measured_explains_it(monkeypatch: pytest.MonkeyPatch) -> None:
    passage = Passage(document="power.md", title="Power", line_start=1, line_end=2, heading="Peaks", text="A supply …",
                      score=0.8, language="en")  # fmt: skip
    asked: list[str] = []

    def search(query: str, **options: object) -> list[Passage]:
        asked.append(query)
        return [passage]

    monkeypatch.setattr("kb.retrieval.search.reading", nullcontext)
    monkeypatch.setattr("kb.retrieval.search.search", search)
    monkeypatch.setattr("kb.retrieval.contested.contested", lambda query, **options: [])
    monkeypatch.setattr("kb.retrieval.section_rest.section_rest", lambda found, *, sections: [])
    guidance = explained(cards="RTX 5090", symptom="the PC goes black when training starts")["guidance"]

    assert asked == ["the PC goes black when training starts"]
    assert "nothing measured" in guidance["quotations"]
    assert guidance["passages"] == [{"title": "Power", "heading": "Peaks", "text": "A supply …"}]


def test_no_passages_come_beside_what_the_text_states() -> None:
    found = explained(error_text="NVRM: Xid (PCI:0000:41:00): 79, GPU has fallen off the bus.")

    assert "guidance" not in found


def test_the_time_of_a_clip_is_judged() -> None:
    call = {"model": "wan2.1-14b", "cards": "RTX 4090", "size": "832x480 81 frames", "engine": "comfyui"}
    usual = explained(**call, seen={"item": "15 minutes"})
    long = explained(**call, seen={"item": "2 hours"})

    assert usual["answer"]["verdict"] == "normal"
    assert long["answer"]["verdict"] == "high"
    assert {"paged_to_host", "weights_streamed"} & {one["id"] for one in long["causes"][:3]}


def test_the_pace_of_speech_is_judged() -> None:
    found = explained(model="whisper large-v3", cards="RTX 4090", seen={"rtf": "1.2"})

    assert found["answer"]["verdict"] == "high"
    assert found["causes"][0]["id"] == "speech_on_processor"


def test_a_utilisation_in_words_is_read_as_a_symptom() -> None:
    found = explained(cards="1x 4080", task="full", seen={"utilisation": "忽高忽低"})
    assert found["causes"][0]["id"] == "data_waits"
    assert any("read as words" in one for one in found["warnings"])


def test_a_rate_that_is_no_share_does_not_refuse_the_call() -> None:
    found = explained(model="qwen3-8b", cards="8x H100", task="full", engine="megatron",
                      seen={"utilisation": "380 TFLOP/s per GPU"}, symptom="low MFU")  # fmt: skip
    assert "error" not in found
    assert any("380 TFLOP/s" in one for one in found["warnings"])


def test_flags_that_cannot_be_read_are_left_out_and_said() -> None:
    found = explained(model="llama-2-13b q4_0", cards="RTX 3090", engine="llama.cpp", flags="-ngl as many as fit",
                      seen={"tokens_per_s": "9"})  # fmt: skip
    assert found["answer"]["of"] == "tokens_per_s"
    assert any("flags were left out" in one for one in found["warnings"])


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("zero3 offload", {"sharding": "zero3", "offload": "all"}),
        ("z3 offload", {"sharding": "zero3", "offload": "all"}),
        ("ZeRO-2 optimizer offload", {"sharding": "zero2", "offload": "optimizer"}),
        ("fsdp", {"sharding": "fsdp"}),
        (None, {"sharding": None}),
        ("magic", {"sharding": "magic"}),
    ],
)
def test_sharding_is_read_as_other_tools_read_it(text: str | None, fields: dict[str, str | None]) -> None:
    assert sharding(text) == fields

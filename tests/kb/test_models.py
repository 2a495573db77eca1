"""The catalog of models: every row keeps every rule, and its parameters follow from its shape."""

import re
from itertools import groupby

import pytest

from kb.base import UnknownName
from kb.catalog import sources
from kb.configs.parameters import count_active, count_parameters
from kb.models import brands, model, models, of_size
from kb.naming.names import atoms_of, model_names
from kb.naming.spellings import SHY, own_names
from kb.records.model import Model

ROWS = tuple(models().values())
DATE = re.compile(r"20\d\d(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?")
ODD_SHAPES = {
    "deepseek-ai/DeepSeek-V4-Flash": "low-rank output projection and hyper-connections",
    "deepseek-ai/DeepSeek-V4-Flash-0731": "low-rank output projection and hyper-connections",
    "deepseek-ai/DeepSeek-V4-Flash-DSpark": "low-rank output projection and hyper-connections",
    "nvidia/Nemotron-H-56B-Base-8K": "a feed-forward follows only the Mamba layers",
    "google/gemma-4-E2B-it": "per-layer embeddings",
    "google/gemma-4-E4B-it": "per-layer embeddings",
    "google/gemma-3n-E4B-it": "per-layer embeddings",
    "google/gemma-3n-E2B-it": "per-layer embeddings",
    "xai-org/grok-2": "a dense feed-forward beside the experts",
    "tencent/HunyuanImage-3.0": "an image tower not counted apart",
    "baidu/ERNIE-4.5-VL-28B-A3B-PT": "separate experts for images",
    "ByteDance-Seed/BAGEL-7B-MoT": "two towers over one attention",
    "jinaai/jina-embeddings-v3": "task adapters",
    "nvidia/NV-Embed-v2": "a pooling layer of its own",
    "openai/clip-vit-base-patch32": "an image and a text tower",
    "openai/clip-vit-large-patch14": "an image and a text tower",
    "laion/CLIP-ViT-H-14-laion2B-s32B-b79K": "an image and a text tower",
    "google/siglip-so400m-patch14-384": "an image and a text tower",
}
"""Rows whose parameters the shape does not tell, and why."""
PUBLISHED = {
    "meta-llama/Llama-2-7b-hf": 6_738_415_616,
    "meta-llama/Llama-2-13b-hf": 13_015_864_320,
    "meta-llama/Llama-2-70b-hf": 68_976_648_192,
    "meta-llama/Meta-Llama-3-8B": 8_030_261_248,
    "meta-llama/Meta-Llama-3-70B": 70_553_706_496,
    "meta-llama/Meta-Llama-3.1-405B": 405_853_388_800,
    "meta-llama/Llama-3.2-1B": 1_235_814_400,
    "mistralai/Mistral-7B-v0.1": 7_241_732_096,
    "mistralai/Mixtral-8x7B-v0.1": 46_702_792_704,
    "Qwen/Qwen2.5-0.5B": 494_032_768,
    "Qwen/Qwen2.5-7B": 7_615_616_512,
    "Qwen/Qwen2.5-72B": 72_706_203_648,
    "Qwen/Qwen3-0.6B": 596_049_920,
    "Qwen/Qwen3-8B": 8_190_735_360,
    "Qwen/Qwen3-30B-A3B": 30_532_122_624,
    "Qwen/Qwen3-235B-A22B": 235_093_634_560,
    "deepseek-ai/DeepSeek-V3": 671_026_419_200,
    "deepseek-ai/DeepSeek-V2-Lite": 15_706_484_224,
    "google/gemma-2-27b": 27_227_128_320,
    "google/gemma-3-27b-it": 27_432_406_640,
    "microsoft/phi-4": 14_659_507_200,
    "openai-community/gpt2": 124_439_808,
    "EleutherAI/gpt-j-6b": 6_050_882_784,
    "bigscience/bloom": 176_247_271_424,
    "openai/gpt-oss-120b": 116_829_156_672,
    "openai/whisper-large-v3": 1_543_490_560,
    "BAAI/bge-m3": 567_754_752,
    "google/flan-t5-xxl": 11_135_332_352,
    "zai-org/chatglm3-6b": 6_243_584_000,
    "01-ai/Yi-34B": 34_388_917_248,
}
"""Parameter counts as the published checkpoints state them."""


def ids(rows: tuple[Model, ...]) -> list[str]:
    return [row.id for row in rows]


class TestEveryModel:
    """Invariants of each row."""

    @pytest.mark.parametrize("row", ROWS, ids=ids(ROWS))
    def test_the_row_is_consistent(self, row: Model) -> None:
        assert row.sources, "no source"
        assert set(row.sources) <= set(sources()), "unknown source"
        assert all(field in Model.model_fields for fields in row.sources.values() for field in fields)
        assert row.released is None or DATE.fullmatch(row.released)
        assert row.licence is None or row.licence.strip() == row.licence != ""
        assert row.active_params is None or 0 < row.active_params <= row.params
        assert all(size > 0.1 * row.params for size in row.checkpoint_bytes.values())
        if row.heads and row.kv_heads:
            assert row.heads % row.kv_heads == 0
            assert row.heads % (row.global_kv_heads or 1) == 0
        if row.head_dim:
            assert 32 <= row.head_dim <= 512
        assert (row.latent is not None) == (row.attention == "mla")

    @pytest.mark.parametrize("row", ROWS, ids=ids(ROWS))
    def test_special_layers_are_no_more_than_the_layers(self, row: Model) -> None:
        local = row.sliding.local_layers if row.sliding else 0
        linear = row.linear.linear_layers if row.linear else 0
        assert local + linear <= (row.layers or 0)
        if row.experts:
            assert row.experts.experts_per_token <= row.experts.experts
            assert row.experts.dense_layers < (row.layers or 0)
        if row.vision_params or row.other_params:
            assert row.vision_params + row.other_params < row.params

    @pytest.mark.parametrize("row", ROWS, ids=ids(ROWS))
    def test_parameters_follow_from_the_shape(self, row: Model) -> None:
        counted = count_parameters(row)
        if row.components:
            assert sum(part.params for part in row.components) == row.params
        elif row.id not in ODD_SHAPES and counted is not None:
            assert counted == pytest.approx(row.params, rel=0.005)

    def test_only_rows_whose_shape_is_incomplete_are_not_counted(self) -> None:
        uncounted = [row for row in ROWS if count_parameters(row) is None and row.kind in ("llm", "vlm")]
        assert len(uncounted) <= 0.1 * len(ROWS), ids(tuple(uncounted))
        assert all(row.layers is None or row.linear or row.notes for row in uncounted), ids(tuple(uncounted))

    def test_every_exception_is_still_one(self) -> None:
        for key in ODD_SHAPES:
            counted = count_parameters(models()[key])
            assert counted is not None
            assert abs(counted / models()[key].params - 1) > 0.005, f"{key} follows its shape by now"


@pytest.mark.parametrize(("key", "params"), PUBLISHED.items(), ids=list(PUBLISHED))
def test_published_counts_are_stored_to_the_digit(key: str, params: int) -> None:
    assert models()[key].params == params


def test_names_belong_to_one_model_each() -> None:
    named = sorted((alias.lower(), row.id) for row in ROWS for alias in set(row.aliases))
    for alias, owners in groupby(named, key=lambda pair: pair[0]):
        assert len({owner for _, owner in owners}) == 1, alias


def test_every_own_name_leads_to_its_model() -> None:
    for row in ROWS:
        for name in (row.id.rpartition("/")[2], *row.aliases):
            if atoms_of(name) in SHY:
                continue
            (mention, *others) = model_names().scan(name) or [None]
            assert mention is not None, name
            assert mention.text == name.strip("()[] "), name
            assert not others, name
            assert any(models()[key].params == pytest.approx(row.params, rel=0.12) for key in mention.ids), name


def test_a_sparse_model_visits_few_of_its_parameters() -> None:
    deepseek = models()["deepseek-ai/DeepSeek-V3"]
    active = count_active(deepseek)
    assert active is not None
    assert 36e9 < active < 38e9


@pytest.mark.parametrize(
    ("name", "stored"),
    [
        ("Qwen/Qwen2.5-72B-Instruct", "bf16"),
        ("Qwen/Qwen2.5-72B-Instruct-AWQ", "awq"),
        ("Qwen/Qwen2.5-72B-Instruct-GPTQ-Int4", "gptq"),
        ("Qwen/Qwen2.5-72B-Instruct-GPTQ-Int8", "int8"),
        ("unsloth/Qwen2.5-72B-Instruct-bnb-4bit", "nf4"),
        ("Qwen2.5-72B-Instruct-GGUF", "bf16"),
        ("who/Qwen2.5-72B-Instruct-quantized.w8a8", "int8"),
        ("who/Qwen2.5-72B-Instruct-qat-w4a16-ct", "int4"),
        ("who/Qwen2.5-72B-Instruct-FP8-block", "fp8"),
        ("who/Qwen2.5-72B-Instruct-NVFP4-W4A4", "nvfp4"),
        ("who/Qwen2.5-72B-Instruct-NVFP4-v2", "nvfp4"),
        ("who/Qwen2.5-72B-Instruct-w-mxfp4-a-fp8", "mxfp4"),
    ],
)
def test_a_checkpoint_name_says_how_its_weights_are_stored(name: str, stored: str) -> None:
    named = model(name)
    assert (named.id, named.native_format) == ("Qwen/Qwen2.5-72B", stored)


@pytest.mark.parametrize("name", ["Qwen2.5-72B-Instruct-v2", "Qwen2.5-72B-Instruct-qat-mobile-ct", "Mistral-7B-v9"])
def test_a_version_or_an_untold_width_is_no_format(name: str) -> None:
    with pytest.raises(UnknownName):
        model(name)


def test_an_unknown_model_names_the_closest() -> None:
    with pytest.raises(UnknownName) as unknown:
        model("Qwen2.5-73B")
    assert "Qwen/Qwen2.5-72B" in unknown.value.close


@pytest.mark.parametrize("name", ["", " ", "/", "x" * 5000 + ".json", "a\0.json", "４" * 300])
def test_a_name_that_names_nothing_is_refused(name: str) -> None:
    with pytest.raises(UnknownName):
        model(name)


def test_a_family_is_narrowed_by_the_size_said_elsewhere() -> None:
    family = tuple(key for key, row in models().items() if row.family == "Qwen2.5")
    assert of_size(family, 72e9) == ("Qwen/Qwen2.5-72B",)


def test_brands_are_known_in_chinese() -> None:
    assert "通义千问" in brands()["Qwen"]
    assert "通义千问 2.5-72B" in own_names(models()["Qwen/Qwen2.5-72B"], brands())


def test_hybrid_state_matches_a_published_log() -> None:
    """llama.cpp logs 598.5 MiB of recurrent state for four sequences of Qwen3.6-27B."""
    linear = models()["Qwen/Qwen3.6-27B"].linear
    assert linear is not None
    assert 4 * linear.linear_layers * linear.state_bytes_per_layer / 2**20 == pytest.approx(598.5, rel=0.001)

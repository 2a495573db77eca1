"""One setting raised, and pictures or pages by the day: the figure that was asked for comes first."""

import pytest

from assistant.plan import raised, sights
from tests.assistant.planning import turn


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("lora rank from 8 to 128, how much more vram", ("lora_rank", 8, 128), id="rank"),
        pytest.param("going from 4k to 16k context", ("context", 4096, 16384), id="before-the-word"),
        pytest.param("ctx 8k -> 32k", ("context", 8192, 32768), id="arrow"),
        pytest.param("raise the context from 8 to 32k", ("context", 8192, 32768), id="one-scale-for-both"),
        pytest.param("batch size 1 to 4", ("batch", 1, 4), id="batch"),
        pytest.param("并发从 4 加到 16", ("at_once", 4, 16), id="chinese"),
        pytest.param("上下文从 32k 降到 8k", None, id="lowered-in-chinese-is-not-read-yet"),
    ],
)
def test_a_setting_is_read_with_both_values(text: str, expected: tuple[str, int, int] | None) -> None:
    found = raised.read(text)
    if expected is None:
        assert found is None or found.before > found.after
    else:
        assert found is not None
        assert (found.field, found.before, found.after) == expected


@pytest.mark.parametrize(
    "question",
    [
        pytest.param("upgrade from 16GB to 24GB card for qwen3 14b worth it?", id="cards"),
        pytest.param("we go from 4 to 16 gpus for llama 8b", id="counts"),
        pytest.param("qwen3 14b on a 3090, how much vram at 32k context?", id="one-value"),
    ],
)
def test_other_changes_are_none_of_it(question: str) -> None:
    understanding, _, _ = turn(question)
    assert not raised.asked(understanding)


def test_more_rank_takes_the_adapters_more_and_nothing_else() -> None:
    _, records, draft = turn("lora rank 16 to 64 on llama 3.1 8b, how much extra vram on a 4090")
    before, after = (
        {part["name"]: part["bytes"] for part in one.result["per_gpu"]["parts"]}
        for one in [one for one in records if one.tool == "estimate_memory"][:2]
    )
    assert after["adapters"] == pytest.approx(4 * before["adapters"], rel=0.01)
    assert after["weights"] == before["weights"]
    assert "GiB more" in draft.answer.split("\n")[0]
    assert draft.answer.index("GiB more") < draft.answer.index("would not hold")


def test_whether_it_still_fits_comes_first_where_that_is_asked() -> None:
    _, _, draft = turn("raising ctx from 8k to 32k with qwen3 14b, will my 3090 still fit it?")
    assert draft.verdict == "fits"
    assert draft.answer.startswith("**Yes")


@pytest.mark.parametrize(
    ("text", "pages", "count", "answer"),
    [
        pytest.param("200k product pics a day, ~60 tokens answer", False, 200_000, 60, id="pictures"),
        pytest.param("how many pages per day", True, None, 1200, id="pages-asked"),
        pytest.param("1.5M pdf pages a month", True, 1_500_000, 1200, id="months"),
        pytest.param("每天 5 万张图，输出 100 token", False, 50_000, 100, id="chinese"),
    ],
)
def test_a_load_of_sights_is_read(text: str, pages: bool, count: float | None, answer: int) -> None:
    load = sights.read(text)
    assert (load.pages, load.count, load.answer_tokens) == (pages, count, answer)


def test_a_load_that_is_far_too_much_names_the_cards_it_takes() -> None:
    _, records, draft = turn("can one 3090 caption 3M pictures a day with qwen2.5-vl-7b?")
    assert draft.answer.startswith("**No")
    rate = next(one.result["requests_per_s"] for one in records if one.tool == "estimate_inference_speed")
    assert rate["value"] < 3_000_000 / 86_400


def test_a_small_load_is_kept_up_with() -> None:
    _, _, draft = turn("5k photos a day through qwen2.5-vl-7b on a 4090, does it keep up?")
    assert draft.answer.startswith("**Yes")
    assert draft.verdict == "fits"


def test_pages_by_the_day_are_told_as_pages() -> None:
    _, _, draft = turn("how many pages per day can olmOCR do on a 4090?")
    assert "pages a day" in draft.answer.split("\n")[0]


def test_a_picture_shown_now_and_then_is_no_load() -> None:
    understanding, _, _ = turn("does gemma 3 12b fit a 4070, i show it a picture now and then")
    assert not sights.asked(understanding)

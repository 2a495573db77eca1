"""Blocks within Slack's limits, and text in them that can do nothing."""

import json
import re

import pytest
from fake_slack import FakeSlack, Refused
from hypothesis import given
from hypothesis import strategies as st
from slack_reading import text_of

from assistant.answer import Answer, Citation, Grounding
from tools.need import Need
from ui.slack import message, rich
from ui.slack.arrivals import microseconds, plain
from ui.slack.chart import memory_chart
from ui.slack.fitting import cut, escaped, joined, pieces
from ui.slack.words import words

HOSTILE = (
    "<!channel> <!here|here> <!everyone> <@U0VICTIM> <#C0SECRET> <https://evil.example|click> https://evil.example/x "
    "![pixel](https://evil.example/p.png) [click](https://evil.example) <img src=x onerror=alert(1)> &lt;!channel&gt; "
    "<!subteam^S1> <javascript:alert(1)|x> `code` *bold* _it_ ~gone~ :tada: \u202e"
)


def answer(text: str, **fields: object) -> Answer:
    whole = {"id": "a1", "conversation_id": "T:C:1", "question": "?", "language": "en", "verdict": "estimate",
             "answer": text, "need": Need(intent="other"), "engine": "planner", "elapsed_s": 0.1,
             "grounding": Grounding(numbers=3, grounded=3)}  # fmt: skip
    return Answer.model_validate(whole | fields)


def accepted(blocks: list[dict[str, object]]) -> None:
    FakeSlack()._check_blocks(blocks)


def citation(**fields: object) -> Citation:
    whole: dict[str, object] = {"marker": 1, "kind": "document", "title": HOSTILE, "locator": HOSTILE, "quote": HOSTILE}
    return Citation.model_validate(whole | {"url": "https://evil.example/x"} | fields)


def parsed_texts(value: object) -> list[str]:
    """Every text that Slack would parse for mentions and links."""
    if isinstance(value, dict):
        own = [str(value["text"])] if value.get("type") == "mrkdwn" else []
        return own + [text for part in value.values() for text in parsed_texts(part)]
    return [text for part in value for text in parsed_texts(part)] if isinstance(value, list) else []


def kinds(value: object) -> set[str]:
    if isinstance(value, dict):
        return {str(value.get("type"))} | {kind for part in value.values() for kind in kinds(part)}
    return {kind for part in value for kind in kinds(part)} if isinstance(value, list) else set()


@pytest.mark.parametrize("modern", [True, False])
def test_hostile_text_mentions_links_and_shows_nothing(modern: bool) -> None:
    table = f"| a | {HOSTILE.replace('|', ' ')} |\n|---|---|\n| 1 | {HOSTILE.replace('|', ' ')} |"
    body = f"**{HOSTILE}**\n\n- {HOSTILE}\n\n{table}\n\n> {HOSTILE}\n\n```\n{HOSTILE}\n```"
    cited = (citation(), citation(marker=2, kind="catalog", url="https://evil.example/|<!channel>"))
    told = (HOSTILE + " told",)
    hostile = answer(body, warnings=told, clarifying_questions=told, citations=cited)
    (blocks,) = message.messages(hostile, asked=HOSTILE, modern=modern)
    accepted(blocks)
    for text in [*parsed_texts(blocks), message.headline(hostile)]:
        assert "<!" not in text
        assert "<@" not in text
        assert "<#" not in text
        assert "<http" not in text
    assert not kinds(blocks) & {"link", "user", "usergroup", "channel", "broadcast", "image", "emoji"}


def test_only_the_catalogs_own_sources_become_links() -> None:
    guide = citation(title="Guide", locator="guide.md")
    row = citation(marker=2, kind="catalog", title="Datasheet", locator="row", url="https://nvidia.example/a&b")
    (block,) = message.sources([guide, row], words("en"))
    assert re.findall(r"<([^>]*)>", block["elements"][0]["text"]) == ["https://nvidia.example/a&amp;b|Datasheet"]


def test_long_answer_takes_several_messages_and_loses_nothing() -> None:
    paragraphs = [f"Paragraph {number}: {'memory of the card ' * 30}{number * 1.5:.1f} GiB." for number in range(120)]
    split = message.messages(answer("\n\n".join(paragraphs)))
    assert len(split) > 1
    for blocks in split:
        accepted(blocks)
    text = "\n".join(text_of(blocks) for blocks in split)
    assert all(paragraph in text for paragraph in paragraphs)
    assert [blocks[-1]["type"] for blocks in split].count("context_actions") == 1


def test_second_table_is_set_in_fixed_width_with_aligned_columns() -> None:
    table = "| 部件 | GiB |\n|---|---:|\n| 权重 | 65.7 |\n| KV cache | 2.5 |"
    blocks = rich.blocks(f"{table}\n\n{table}")
    assert [block["type"] for block in blocks] == ["table", "rich_text"]
    lines = rich.readable(blocks[1]).split("\n")
    assert [rich._width(line) for line in lines[1:]] == [rich._width("KV cache  65.7"), rich._width("KV cache  2.5")]
    assert blocks[0]["column_settings"][1]["align"] == "right"


def test_chinese_emphasis_ends_where_it_should() -> None:
    (block,) = rich.blocks("**能跑。**建议用 vLLM。")
    first = block["elements"][0]["elements"][0]
    assert first == {"type": "text", "text": "能跑", "style": {"bold": True}}


@pytest.mark.parametrize(
    ("text", "most", "kept"),
    [
        ("Needs 65.7 GiB of memory", 13, "Needs…"),
        ("Needs 65.7 GiB of memory", 24, "Needs 65.7 GiB of memory"),
        ("costs about $53,532–$75,702 in all", 26, "costs about…"),
        ("每卡需 30.7 GiB，可用 43.7 GiB", 11, "每卡需…"),
        ("每卡需 30.7 GiB，可用 43.7 GiB", 20, "每卡需 30.7 GiB，可用…"),
        ("123456789012345", 8, "…"),
    ],
)
def test_cut_loses_no_number_half_way(text: str, most: int, kept: str) -> None:
    assert cut(text, most) == kept


@given(
    st.lists(st.from_regex(r"[a-z]{1,8}|[0-9]{1,6}(\.[0-9]{1,3})?|显存", fullmatch=True), min_size=1),
    st.integers(8, 60),
)
def test_cut_text_has_only_whole_words_of_the_text(parts: list[str], most: int) -> None:
    text = " ".join(parts)
    short = cut(text, most)
    assert len(short) <= most
    if short != text:
        assert short.endswith("…")
        whole = short[:-1].split()
        assert whole == parts[: len(whole)] or len(parts[0]) >= most - 1


@given(st.text(alphabet="ab 12.。，\n", min_size=1, max_size=400), st.integers(20, 80))
def test_pieces_fit_and_hold_every_letter(text: str, most: int) -> None:
    parts = pieces(text, most)
    assert all(0 < len(part) <= most for part in parts)
    assert re.sub(r"\s", "", "".join(parts)) == re.sub(r"\s", "", text)


def test_joined_leaves_out_what_does_not_fit_as_a_whole() -> None:
    assert (
        joined(["≈ 57 tokens/s", "2.8 kW", "a provider with a very long name", "bf16"], 32)
        == "≈ 57 tokens/s · 2.8 kW · bf16"
    )


@given(st.text())
def test_escaped_text_holds_no_bracket(text: str) -> None:
    assert not set(escaped(text)) & set("<>")


@pytest.mark.parametrize(
    ("wire", "typed"),
    [
        ("<@U0BOT> 4 张 3090 &lt; 1 张 H100?", "4 张 3090 < 1 张 H100?"),
        (
            "<@U0BOT|gpu> see <https://x.example|the sheet> and <https://y.example>",
            "see the sheet and https://y.example",
        ),
        ("<#C1|ml> <@U2> <!here> a &amp;&amp; b", "#ml @U2 @here a && b"),
        ("<!date^1392734382^{date}|Feb 18>", "Feb 18"),
    ],
)
def test_wire_text_reads_as_it_was_typed(wire: str, typed: str) -> None:
    assert plain(wire, "U0BOT") == typed


def test_slack_timestamps_are_exact() -> None:
    assert microseconds("1721609600.123456") == 1_721_609_600_123_456
    assert microseconds("1721609600.123457") - microseconds("1721609600.123456") == 1
    assert microseconds(None) == microseconds("soon") == 0


def test_chart_names_every_part_and_draws_without_a_chinese_font(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = [{"name": "weights", "bytes": 70 * 2**30}, {"name": "kv_cache", "bytes": 2**30}]
    result = {"per_gpu": {"total_bytes": 71 * 2**30, "low_bytes": 70 * 2**30, "high_bytes": 75 * 2**30, "parts": parts},
              "fit": {"usable_bytes": 80 * 2**30}}  # fmt: skip
    for found in (True, False):
        if not found:
            monkeypatch.setattr("ui.slack.chart._chinese_font", lambda size: None)
        chart = memory_chart(result, words("zh"))
        assert chart is not None
        assert chart.png.startswith(b"\x89PNG")
        assert "权重 70.0 GiB" in chart.alt
        assert "可用 80.0 GiB" in chart.alt
    assert memory_chart({}, words("en")) is None


def test_blocks_beyond_the_limits_are_seen_by_the_tests_own_slack() -> None:
    with pytest.raises(Refused, match="invalid_blocks"):
        accepted([rich.paragraph("x")] * 51)
    with pytest.raises(Refused, match="too_long"):
        accepted([rich.paragraph("x" * 3000)] * 5)
    assert json.dumps(rich.paragraph(""))  # empty text is given a sign, since Slack refuses none
    accepted([rich.paragraph("")])


def test_card_titles_are_punctuated_as_their_language_is() -> None:
    assert words("zh")("card_title", how="购买", count=2, gpu="H100") == "购买：2 × H100"
    assert words("en")("card_title", how="Buy", count=2, gpu="H100") == "Buy: 2 × H100"

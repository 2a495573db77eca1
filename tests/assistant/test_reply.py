"""What a language model may not say, by examples of each kind and of what it may."""

import pytest
from langchain_core.messages import AIMessage

from assistant.answer import Draft, ToolCallRecord
from assistant.reply import about, contradicts, malformed, subjects, unfit, untraced

MEMORY = ToolCallRecord(
    tool="estimate_memory",
    request={"model": "Qwen/Qwen2.5-72B", "gpu": "rtx-3090-24gb"},
    result={"total_bytes": 40 * 2**30, "gpus": 4},
)
OTHER = ToolCallRecord(tool="estimate_memory", request={"model": "facebook/opt-125m"}, result={"total_bytes": 2**28})
WORDS = ["Can 4×3090 run Qwen2.5-72B?"]
DRAFT = Draft(verdict="fits", answer="**Yes.** 4 × RTX 3090 hold Qwen2.5-72B.")

UNFIT = {
    "script": "Yes <script>alert(1)</script>",
    "image": "Yes ![x](https://attacker.example/a.png)",
    "link that runs": "See [this](javascript:alert(1))",
    "handler": "Yes <b onclick=alert(1)>",
    "everybody": "<!channel> it fits",
    "everyone": "@everyone it fits",
    "formula": '=HYPERLINK("https://attacker.example")',
    "formula in a table": "| =cmd() | 4 |",
    "zero width": "Y\u200bes",
    "right to left": "Yes \u202e4202",
    "tag characters": "Yes \U000e0041",
    "mathematical digits": "𝟕.𝟕𝟕 GiB",
    "full-width digits": "７ GiB",
    "a power": "7e3 GiB",
    "instructions": "Every number you write comes from a tool result of this turn or from the person's own words.",
    "Chinese": "可以，四张卡就能跑，完全没有问题。",
    "German": "Ja, das passt mit der Karte und ist nicht viel für eine.",
}


@pytest.mark.parametrize("name", UNFIT)
def test_what_is_unfit_to_show(name: str) -> None:
    assert unfit(UNFIT[name], "en")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("**Yes.** Each of the four cards holds about 20.3 GiB [1].", "en"),
        ("- 4 × 24 GiB = 96 GiB\n- fp8 halves it\n\n| GPU | W |\n|---|---|\n| RTX 3090 | 350 |", "en"),
        ("**可以。**每张卡约占 20.3 GiB [1],还剩 3 GiB。", "zh"),
        ("x < 4 and y > 5, so a<b holds at 24 GiB", "fr"),
    ],
)
def test_plain_words_are_fit(text: str, language: str) -> None:
    assert unfit(text, language) is None


@pytest.mark.parametrize(
    "text",
    [
        "It needs 7.77 GiB.",
        "It needs eleven gigabytes.",
        "It needs 40 TiB.",
        "See https://attacker.example/page for 40 GiB.",
        "See //attacker.example for 40 GiB.",
        "See www.attacker.example for 40 GiB.",
    ],
)
def test_a_number_or_an_address_of_its_own_is_untraced(text: str) -> None:
    assert untraced(text, [MEMORY], WORDS, [])


@pytest.mark.parametrize("text", ["The four cards hold 40 GiB.", "**40 GiB**, on 4 cards."])
def test_what_a_tool_said_is_traced(text: str) -> None:
    assert untraced(text, [MEMORY], WORDS, []) == ()


def test_figures_of_another_model_are_no_evidence() -> None:
    wanted = subjects(WORDS, [MEMORY])
    assert about([MEMORY, OTHER], wanted) == [MEMORY]


@pytest.mark.parametrize(
    "text",
    [
        "No, it does not fit.",
        "不能，放不下。",
        "Yes, but buy an MI300X instead.",
        "Yes. Use gpt-oss-120b rather.",
        "It does.",
    ],
)
def test_departing_from_the_planner_is_seen(text: str) -> None:
    assert contradicts(text, DRAFT, WORDS)


@pytest.mark.parametrize(
    "text", ["Ticket 4: impossible.", "Out of the question [1].", "Yes. <1mg $rc=x 0n3rr0r=4l3r7(1)>"]
)
def test_a_bare_number_is_no_figure_where_the_planner_gives_sizes(text: str) -> None:
    sized = DRAFT.model_copy(update={"answer": "**Yes.** 40 GiB on 4 × RTX 3090 hold Qwen2.5-72B."})
    assert contradicts(text, sized, WORDS) == "an answer without figures"


@pytest.mark.parametrize("text", ["**Yes.** The 4 RTX 3090s hold it.", "可以，4 张 3090 够用。", "It fits on 4 cards."])
def test_agreeing_with_the_planner_is_kept(text: str) -> None:
    assert contradicts(text, DRAFT, WORDS) is None


def test_a_yes_is_no_answer_where_the_tools_say_no() -> None:
    assert contradicts("Yes, easily.", DRAFT.model_copy(update={"verdict": "does_not_fit"}), WORDS)


def called(count: int, same: bool = False) -> AIMessage:
    return AIMessage(
        "",
        tool_calls=[{"name": "find_gpus", "args": {}, "id": "a" if same else f"a{number}"} for number in range(count)],
    )


@pytest.mark.parametrize(
    "message",
    [
        AIMessage("Yes", response_metadata={"finish_reason": "length"}),
        AIMessage(" "),
        AIMessage("x" * 20_001),
        called(13),
        called(2, same=True),
    ],
    ids=["cut", "empty", "overlong", "many calls", "same id"],
)
def test_a_malformed_reply_is_named(message: AIMessage) -> None:
    assert malformed(message)


@pytest.mark.parametrize("message", [AIMessage("Yes."), called(12)], ids=["text", "calls"])
def test_a_well_formed_reply_is_not(message: AIMessage) -> None:
    assert malformed(message) is None

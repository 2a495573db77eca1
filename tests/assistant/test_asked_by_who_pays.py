"""Questions of who pays: the first sentence answers them, with the sum."""

import pytest

from assistant.ground.check import ground
from tests.assistant.planning import turn


@pytest.mark.usefixtures("fresh_prices")
@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Reserved 1 year vs on-demand H100: how much do we save?", ("Reserved", "saves", "H100 SXM5")),
        ("Spot H100s: how much cheaper and what do interruptions cost me?", ("Spot saves", "H100 SXM5")),
        ("给我算一下自建8卡A800服务器三年TCO，电费0.9，机房托管费另算", ("总成本", "购置")),
        (
            "What does a million tokens cost, self hosting Llama 3.1 70B on 4x H100, against an API at $0.60/M?",
            ("API at $0.60",),
        ),
        ("我们每天大概5亿token，用deepseek API，自建划算吗，成本多少", ("每百万 token",)),
        ("our openai bill is $6k/month, about 900M tokens, could we replace it with our own 70B box?", ("$6,000",)),
        ("RTX PRO 6000 vs 5090: price per GB?", ("RTX PRO 6000", "the card")),
        ("4090 和 5090 哪个每块钱买到的算力多", ("TFLOPS", "RTX 4090")),
        ("What's a used 3090 worth now?", ("Price", "RTX 3090", "$")),
        ("I have 2x 3090, upgrade to what for $3000? running 70B q4", ("Keep", "next real step", "$")),
        ("卖掉手里两张3090再加1万块，能换什么跑70B？", ("先留着", "台阶")),
        ("机柜只有 10kW，预算300万，最多放几台8卡H100？", ("一台也放不下",)),
        ("阿里云 A10 一个月包月要多少，和自己买张 4090 比哪个划算", ("租 1×A10", "RTX 4090")),
        ("startup, Mixtral 8x7B inference, $1,500 a month to rent, what should we rent?", ("a month of the $1,500",)),
        ("一个月 5000 块预算租卡，跑 70B 对外服务，能租到什么", ("每月", "预算 ¥5,000")),
        ("We need 500 concurrent users on Qwen3-32B. What's the cheapest purchase?", ("500 requests at once", "$")),
        ("How much is a B200 per hour on demand vs spot?", ("on demand", "on spot")),
        ("We transcribe 600 call-center hours per day with whisper large-v3. Monthly cost if rented?", ("a month",)),
        ("What does a rack with 4x DGX H100 need in kW and what is that per month at $0.11/kWh?", ("kW", "a month")),
        ("startup, 1000 daily users, chatbot on Qwen3-14B, what would GPU hosting cost per month?", ("730 hours",)),
        ("$8k for a home box to run 70B models. What's the best I can get and how fast?", ("70B", "of the $8,000")),
        ("我们实验室 80 万，全参微调 13B，怎么买", ("¥800,000", "13B")),
        ("8 张 L40S 服务器三年下来总共要花多少，电费 0.75，和租比哪个省", ("买", "租", "¥")),
        ("AI 视频工作室，预算 80 万，主要跑 Wan2.2 14B 生成视频，怎么配机器", ("建议", "¥")),
    ],
)
def test_the_first_sentence_answers_who_pays(text: str, told: tuple[str, ...]) -> None:
    _, records, draft = turn(text)
    first = draft.answer.split("\n")[0].replace("：租 1×", "租 1×").replace("租：1×", "租 1×")
    assert all(word in first for word in told)
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


def test_a_price_for_tokens_is_no_number_of_cards() -> None:
    understanding, *_ = turn("每百万token成本：自己用 8×H20 跑 DeepSeek-R1 满血版大概多少钱")
    assert understanding.need.api_million_price is None


def test_as_many_are_bought_as_were_named() -> None:
    _, records, _ = turn("should I buy 2x 5090 or rent H100 for 6 months of research, about 200 hours a month?")
    cost = next(one for one in records if one.tool == "estimate_cost")
    assert cost.request["gpu_count"] == 2


def test_an_instance_of_four_is_told_as_four() -> None:
    _, _, draft = turn("RunPod vs Lambda for a 4090/A6000 class card, monthly cost 24/7?")
    assert "4×RTX A6000 at Lambda" in draft.answer.split("\n")[0]

"""How Chinese threads put amounts: what is used, what samples come to, which size is the card's."""

import pytest

from assistant.understand import understand
from assistant.understand.dataset import HAN_PER_TOKEN, find_dataset
from assistant.understand.load import find_context
from assistant.understand.reading import read
from assistant.understand.sizes import find_sizes
from assistant.understand.workloads import find_workloads
from kb.units import GIB


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("三千条数据,每条八百 token", 3_000 * 800),
        ("两万条样本，平均一千五百token，跑 2 个 epoch", 20_000 * 1_500),
        ("数据五千条,单条2k token", 5_000 * 2_000),
        ("8 万条对话,每条大概 300 字", 80_000 * 300 / HAN_PER_TOKEN),
        ("1 万条,每条三百字左右,训 5 轮", 10_000 * 300 / HAN_PER_TOKEN),
        ("20k samples of 700 tokens each", 20_000 * 700),
    ],
)
def test_samples_times_their_length(text: str, tokens: float) -> None:
    found = find_dataset(text)
    assert found is not None
    assert found.value == pytest.approx(tokens, abs=1)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("cutoff 才 512 就不行", 512),
        ("长度设的 6000", 6000),
        ("max_len 给的 3072", 3072),
        ("上下文只给了 4096", 4096),
        ("序列长度限 2k", 2048),
    ],
)
def test_a_length_whatever_small_word_stands_before_it(text: str, tokens: int) -> None:
    found = find_context(text)
    assert found is not None
    assert found.value == tokens


@pytest.mark.parametrize(
    ("text", "role"),
    [
        ("权重才 5G", "used"),
        ("参数只有 3.2G 多", "used"),
        ("模型文件大概 14G", "used"),
        ("the weights only 7 GB", "used"),
        ("每张 32G", "card"),
        ("每块卡24g", "card"),
        ("至少要几张 80G", "card"),
    ],
)
def test_whose_memory_it_is(text: str, role: str) -> None:
    assert [size.role for size in find_sizes(text.lower())] == [role]


@pytest.mark.parametrize("what", ["显存开销", "显存的开销", "通信开销", "内存开销"])
def test_what_a_program_takes_is_no_price_of_cards(what: str) -> None:
    reading = read(f"三张 L20 跑 vllm,{what}能不能小一点")
    assert [(card.gpu, card.count) for card in reading.cards.owned] == [("l20-48gb", 3)]
    assert "matter" not in reading.slots


@pytest.mark.parametrize("tag", ["deepseek-r1:70b", "qwen2.5:32b", "llama3.1:8b"])
def test_a_tag_is_one_model(tag: str) -> None:
    text = f"ollama 拉 {tag} 该买什么显卡"
    assert find_workloads(read(text), text) == ()


@pytest.mark.parametrize("share", ["一人 10G", "1人12g"])
def test_a_share_is_no_number_of_users(share: str) -> None:
    assert "users" not in read(f"两张 4090 起 7B,不是{share}吗").slots


def test_a_size_that_every_card_has_is_read_beside_a_card_sold_in_it() -> None:
    reading = read("4 张 A100 每张 40G,跑 70B int4")
    assert reading.slots["gpus_owned"][0].gpu == "a100-sxm-40gb"
    assert 40 * GIB in [size.value_bytes for size in reading.entities.sizes]


@pytest.mark.parametrize(
    ("traditional", "simplified"),
    [
        ("兩張 3090 訓練 ChatGLM 為什麼比一張還慢", "两张 3090 训练 ChatGLM 为什么比一张还慢"),
        ("這張卡有 24G 顯示記憶體,能跑 32B 的模型嗎", "这张卡有 24G 显存,能跑 32B 的模型吗"),
        (
            "伺服器有 128G 記憶體和一張 4090,70B Q4 效能如何",
            "服务器有 128G 内存和一张 4090,70B Q4 性能如何",
        ),
        ("訓練資料 5 萬筆,每筆八百 token,要幾天", "训练数据 5 万笔,每笔八百 token,要几天"),
        ("預算十萬元,團隊二十人用,推論 72B,該買哪種顯示卡", "预算十万元,团队二十人用,推理 72B,该买哪种显卡"),
        ("yolov8l-seg 訓練要多大顯存", "yolov8l-seg 训练要多大显存"),
        ("還原後爆記憶體了,批次大小設 1 也一樣", "还原后爆显存了,批次大小设 1 也一样"),
    ],
)
def test_traditional_writing_reads_like_simplified(traditional: str, simplified: str) -> None:
    one, other = understand(traditional), understand(simplified)
    assert one.need == other.need
    assert one.asks == other.asks
    assert all(span.text == traditional[span.start : span.end] for span in one.spans)


@pytest.mark.parametrize(
    "text",
    [
        "8 卡 4090 全参 7B,bs=1 都超",
        "启动 vllm 的时候显存不够,32B int8 两张 3090",
        "四张 A10 起服务显存就不够,qwen2.5-14b",
        "7B lora 跑在 24G 上,zero2 了显存还不够",
        "两张 L20 起 32B,vllm 说显存不足",
    ],
)
def test_memory_that_ran_out_in_whatever_words(text: str) -> None:
    assert read(text).intent == "oom"


@pytest.mark.parametrize("words", ["还能撑多久", "够用多久", "扛得住多久"])
def test_how_long_it_will_do_is_about_load(words: str) -> None:
    reading = read(f"现在 40 个并发,两张 A100 跑 72B awq,{words}")
    assert reading.intent == "concurrency"
    assert "training_time" not in reading.asks


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("图 30 万张，一张 3090 训 yolo11s", 1),
        ("5 千张图,两张 4090 能炼 lora 吗", 2),
        ("十万张照片，四张 A10 训 resnet50", 4),
    ],
)
def test_pictures_are_no_cards(text: str, count: int) -> None:
    assert [card.count for card in read(text).cards.owned] == [count]


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("一张 3060 12G 想跑个翻译助手，用哪个模型", "what_fits"),
        ("8G 显存推荐什么模型", "what_fits"),
        ("线程撕裂者加 512G 内存，配一张 3090，跑 R1 q4 能到多少 t/s", "speed"),
        ("L40S 训练行不行，跟 A100 比呢", "compare"),
        ("A10 和 4090 比推理呢", "compare"),
        ("微调 7B，数据跑 3 轮要 20 小时，正常吗", "training_time"),
    ],
)
def test_what_is_asked(text: str, intent: str) -> None:
    assert read(text).intent == intent


@pytest.mark.parametrize("text", ["两张 P40 跑 32B 慢得要死，换什么好", "4 张 T4 跑 14B 带不动，买哪个卡好"])
def test_cards_that_run_something_badly_are_in_hand(text: str) -> None:
    assert read(text).cards.owned


@pytest.mark.parametrize(
    "text",
    [
        "银行内网做个合同问答，10 个人用，三十万以内怎么配",
        "诊所要搭病历助手，数据不能上公网，预算 8 万",
        "self-hosted Q&A for a law firm, on-prem only, budget 20k euros",
    ],
)
def test_fitting_out_a_system_with_a_budget_is_our_business(text: str) -> None:
    assert not understand(text).out_of_scope


@pytest.mark.parametrize("text", ["预算五千去日本旅游怎么安排", "五万以内买什么车", "帮我写一份二十万的借条"])
def test_a_budget_alone_is_not(text: str) -> None:
    assert understand(text).out_of_scope


@pytest.mark.parametrize("text", ["qwen-image 20b 一张 3090 能跑么", "FLUX.1-dev 12B 用 4090 出图"])
def test_the_size_of_a_picture_model_is_that_of_what_draws(text: str) -> None:
    assert read(text).slots["model"] in {"Qwen/Qwen-Image", "black-forest-labs/FLUX.1-dev"}


def test_thousands_of_samples_are_no_bytes() -> None:
    assert find_dataset("60k 数据 3 轮") is None
    assert find_dataset("200m 语料") is not None


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("官方说要 8 张 3090,我只有两张,能跑 70B int4 吗", 2),
        ("论文用 4 张 A100 训的,我手里就一张,行吗", 1),
        ("they say four 4090s are needed for a 70B in int4, I only have two, is that enough?", 2),
    ],
)
def test_how_many_of_those_spoken_of_are_mine(text: str, count: int) -> None:
    assert [card.count for card in read(text).cards.owned] == [count]


@pytest.mark.parametrize(("text", "many"), [("并发开到 48,输入 2k", 48), ("并发设 16 路", 16), ("并发要跑 32", 32)])
def test_requests_at_once_however_they_are_set(text: str, many: int) -> None:
    assert read(f"一张 H20 跑 14B,{text}").slots["concurrent_sequences"] == many


@pytest.mark.parametrize("text", ["8 张 1080ti 还能干啥", "两块 P40 能拿来做什么", "一张 V100 还能派什么用场"])
def test_what_old_cards_are_good_for(text: str) -> None:
    assert read(text).intent == "what_fits"


@pytest.mark.parametrize(
    ("text", "card", "count"),
    [
        ("老板说买两台 8 卡 4090 就行,70B 能跑吗,该不该买", "rtx-4090-24gb", 16),
        ("想买二手 V100 32G,四张跑 70B 靠谱吗", "v100-sxm2-32gb", 4),
    ],
)
def test_how_many_of_what_is_thought_of(text: str, card: str, count: int) -> None:
    cards = read(text).cards
    assert (card, count) in [(one.gpu, one.count) for one in (*cards.proposed, *cards.owned)]


@pytest.mark.parametrize("pictures", ["一万张扫描图", "2000 张截图", "三千张病理照片", "八张 1080p 图片"])
def test_sheets_and_pictures_are_no_cards(pictures: str) -> None:
    assert [card.count for card in read(f"qwen2.5-vl-3b 微调,5090,{pictures},要多久").cards.owned] == [1]


@pytest.mark.parametrize(
    ("text", "billions"), [("做 7b-14b 微调", 14), ("8B 到 32B 都想跑", 32), ("7B 和 70B 哪个好", 7), ("14B", 14)]
)
def test_of_a_range_of_sizes_the_largest(text: str, billions: int) -> None:
    assert read(text).slots["params"] == billions * 10**9


@pytest.mark.parametrize("text", ["公司要搭 deepseek,满血能跑吗,8 卡 H20", "满血 deepseek 要几张 H200"])
def test_the_whole_deepseek(text: str) -> None:
    assert read(text).slots["model"] == "deepseek-ai/DeepSeek-R1"

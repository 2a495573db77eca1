"""Ways of saying one slot: pairs of words and what they mean."""

from typing import Any

import pytest

from assistant.understand import understand


@pytest.mark.parametrize(
    ("text", "slot", "wanted"),
    [
        pytest.param("我有 40 万，配台机器跑 70B", "budget", (400000.0, "CNY"), id="a budget without the word"),
        pytest.param("best card under 75W for a NAS", "budget", None, id="watts are no money"),
        pytest.param("running cost at $0.30/kWh for 2x4090", "budget", None, id="a tariff is no budget"),
        pytest.param("7B，每个请求 10k，要几张 4090", "context_tokens", 10000, id="tokens of each request"),
        pytest.param("输入 15 万 token 的 7B 推理", "context_tokens", 150000, id="tokens of an input"),
        pytest.param("7B for 40 of them chatting at once", "concurrent_sequences", 40, id="of them at once"),
        pytest.param("32B，同时在线大约 300", "concurrent_sequences", 300, id="online at the same time"),
        pytest.param("how many concurrent users at 8k for a 7B?", "concurrent_sequences", None, id="a length is no"
            " number"),
        pytest.param("70B with q8 kv cache", "kv_format", "q8_0", id="format before the cache"),
        pytest.param("70B，kv cache 换成 fp8", "kv_format", "fp8", id="cache changed to a format"),
        pytest.param("13B 的 8bit 和 4bit 各占多少显存", "weight_format", None, id="formats compared"),
        pytest.param("14B bf16 全精度要多少显存", "weight_format", "bf16", id="a named format beside a loose word"),
        pytest.param("run a 14B at Q4. what gpu?", "weight_format", "gguf:Q4_K_M", id="a format at the end of a"
            " sentence"),
        pytest.param("预训练一个 300M 的 gpt", "params", 300_000_000, id="millions of a kind of model"),
        pytest.param("不用 32B 了，14B 就行", "params", 14_000_000_000, id="a size ruled out"),
        pytest.param("想要每秒 30 token 跑 14B", "target_tokens_per_s", 30.0, id="a target by the second"),
        pytest.param("lora 7B，batch 改成 4", "batch_size", 4, id="a batch changed"),
        pytest.param("lora 7B on 20k samples averaging 600 tokens", "dataset_tokens", 12_000_000, id="samples on"
            " average"),
        pytest.param("lora 7B, 52k chat samples, about 300 tokens each", "dataset_tokens", 15_600_000, id="tokens"
            " each"),
    ],
)  # fmt: skip
def test_a_slot_is_read(text: str, slot: str, wanted: Any) -> None:
    got = getattr(understand(text).need, slot)
    assert ((got.amount, got.currency) if slot == "budget" and got else got) == wanted


@pytest.mark.parametrize(
    ("text", "cards"),
    [
        pytest.param("4090/L20 哪个好", {"rtx-4090-24gb", "l20-48gb"}, id="a slash between names"),
        pytest.param("5060 Ti 8G 跟 16G 哪个值", {"rtx-5060-ti-8gb", "rtx-5060-ti-16gb"}, id="two sizes of one card"),
        pytest.param("A100 40G PCIe 和 80G SXM 差多少", {"a100-pcie-40gb", "a100-sxm-80gb"}, id="form and size, zh"),
        pytest.param("A100 80GB PCIe or 40GB SXM?", {"a100-pcie-80gb", "a100-sxm-40gb"}, id="form and size, en"),
        pytest.param("GeForce RTX 4070s or RTX 5070?", {"rtx-4070-super-12gb", "rtx-5070-12gb"}, id="maker's name"),
    ],
)
def test_cards_beside_each_other_are_all_named(text: str, cards: set[str]) -> None:
    need = understand(text).need
    assert {*need.gpus_asked, *(card.gpu for card in need.gpus_owned)} == cards


@pytest.mark.parametrize(
    ("text", "count"),
    [
        pytest.param("Läuft Mixtral 8x7B in 4 Bit auf zwei RTX 3090?", 2, id="de"),
        pytest.param("4090を2枚持っています。70Bは動きますか", 2, id="ja"),
        pytest.param("H100 여덟 장으로 DeepSeek-V3 가능한가요?", 8, id="ko"),
        pytest.param("Можно ли запустить 70B на двух RTX 3090?", 2, id="ru"),
        pytest.param("llama-server -c 65536, RTX 3090, 8B", 1, id="a length is no count"),
        pytest.param("小白一枚，3090 能跑 8B 吗", 1, id="what is counted is the asker"),
    ],
)
def test_cards_are_counted(text: str, count: int) -> None:
    need = understand(text).need
    assert [card.count or 1 for card in (*need.gpus_owned, *need.gpus_proposed)] == [count]


def test_the_same_words_are_read_once() -> None:
    assert understand("7B on a 3090?") is understand("7B on a 3090?")

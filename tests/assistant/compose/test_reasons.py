"""Every code of the configurator has a sentence in both languages, with every value in it."""

import pytest

from assistant.compose.reasons import said, sentences
from assistant.phrases import phrases
from tools.configure.tell.reasons import TEXTS, reason

VALUES = {
    "used": 8, "gpu": "NVIDIA L20", "format": "bf16", "native": "fp8", "count": 8, "missing": 4, "owned": 4,
    "spare": 2, "vendor": "Huawei", "watts": 2800, "gb_per_s": 112.5, "part": "rack", "machines": 4, "leaf": 8,
    "spine": 4, "rails": 8, "storage_gb_per_s": 40.0, "allowance": 0.15, "region": "us-east-1", "date": "2026-06-29",
    "country": "CN", "since": "2023-10-17", "note": "see the notice", "status": "announced", "needed": "30 GiB",
    "usable": "22 GiB", "excess": 1234.5, "per": " per hour", "reached": 12.5, "wanted": 20.0, "measure": "tokens/s",
    "other": "L20", "left": "1.5 GiB", "over": "2 GiB", "each": 7, "profile": "1g.10gb",
    "cards": "1 × RTX 4090 + 1 × RTX 3090", "slowest": "RTX 3090", "joined": 2, "extra": 196.0,
}  # fmt: skip


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("code", sorted(TEXTS))
def test_every_code_has_a_sentence_without_a_gap(code: str, language: str) -> None:
    text = said(reason("why", code, **VALUES), phrases(language))
    assert text
    assert "{" not in text


def test_formats_cards_and_countries_are_written_as_people_write_them() -> None:
    zh, en = phrases("zh"), phrases("en")
    assert said(reason("why", "holds", used=8, gpu="NVIDIA L20", format="bf16"), zh) == "8×L20 能放下 BF16 权重。"
    barred = reason("availability", "export_barred", country="CN", since="2023-10-17")
    assert said(barred, zh) == "不向中国大陆销售（2023-10-17 起受出口管制）"
    assert said(barred, en) == "not sold to China (export control since 2023-10-17)"


def test_only_the_kind_asked_for_is_said() -> None:
    reasons = (reason("why", "best_use"), reason("trade_off", "no_ecc"))
    assert sentences(reasons, "trade_off", phrases("en")) == ["No ECC memory."]

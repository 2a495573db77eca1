"""A document that gets wrong what is asked is brought up, however it ranks."""

from pathlib import Path

import pytest

from ingest.sync import sync
from kb.retrieval.contested import contested
from tools.search_guidance import GuidanceRequest, search_guidance

WRONG = """# 显卡选购杂谈

## 工作站

RTX 6000 Ada 配备 48GB 显存，支持 NVLink。

## 其他

机箱风道要前进后出，电源留三成余量。
"""


@pytest.fixture
def ingested(tmp_path: Path) -> None:
    path = tmp_path / "advice.md"
    path.write_text(WRONG, encoding="utf-8")
    sync([str(path)], only=True)


@pytest.mark.usefixtures("ingested")
def test_the_claim_about_what_is_asked_is_disputed() -> None:
    result = search_guidance(GuidanceRequest(query="Is there NVLink on the RTX 6000 Ada?"))
    disputes = [one for passage in result.passages for one in passage.disputed]
    assert [(one.attribute, one.verdict) for one in disputes] == [("NVLink", "wrong")]
    assert result.warnings


@pytest.mark.usefixtures("ingested")
@pytest.mark.parametrize(
    "query", ["How much power does an RTX 6000 Ada draw?", "RTX A6000 有 NVLink 吗？", "机箱风道怎么走"]
)
def test_another_card_or_property_is_left_alone(query: str) -> None:
    assert contested(query, top=5) == []

"""Names of models that are spelled like ordinary words."""

import pytest

from assistant.understand import understand


@pytest.mark.parametrize(
    ("text", "model"),
    [
        pytest.param("Donut fine-tuning on a T4, enough?", "naver-clova-ix/donut-base", id="capital"),
        pytest.param("donut at 2560x1920 dies on 8GB", "naver-clova-ix/donut-base", id="size-of-picture"),
        pytest.param("nougat 识别 PDF 文档要多少显存", "facebook/nougat-base", id="documents"),
        pytest.param("bark tts on a 6GB card", "suno/bark", id="voice"),
        pytest.param("My friend Sam has a 3090, can he run Qwen3-8B?", "Qwen/Qwen3-8B", id="a-person"),
        pytest.param("is the bark worse than the bite of a 4090", None, id="a-bark"),
        pytest.param("a ring of GPUs connected by NVLink", None, id="a-ring"),
    ],
)
def test_counts_where_the_model_is_meant(text: str, model: str | None) -> None:
    assert understand(text, None).need.model == model

"""How much there is to do, read from words: images, audio, documents, data sets; and what counts as asking the pace."""

import pytest

from assistant.plan.amounts import amounts, pace_asked
from tools.need import Need

WHISPER = "openai/whisper-large-v3"
SDXL = "stabilityai/stable-diffusion-xl-base-1.0"


@pytest.mark.parametrize(
    ("model", "text", "expected"),
    [
        pytest.param(SDXL, "generate 10,000 images at 768x768 in 20 steps",
                     {"images": 10_000, "steps": 20, "width_px": 768, "height_px": 768}, id="pictures-en"),
        pytest.param(SDXL, "4张4090 出 1 万张图要多久", {"images": 10_000}, id="pictures-zh-not-cards"),
        pytest.param(SDXL, "How many images/s on a 4090?", {}, id="a-rate-is-no-amount"),
        pytest.param(WHISPER, "转写 1000 小时音频", {"audio_s": 3.6e6}, id="audio-zh"),
        pytest.param(WHISPER, "1000 hours of customer calls", {"audio_s": 3.6e6}, id="audio-en"),
        pytest.param("BAAI/bge-m3", "embed 10M docs", {"documents": 10**7}, id="documents-en"),
        pytest.param("BAAI/bge-m3", "500万篇文档向量化", {"documents": 5_000_000}, id="documents-zh"),
        pytest.param("torchvision/resnet50", "训练 ImageNet 90 epochs", {"dataset_samples": 1_281_167}, id="data-set"),
        pytest.param("Qwen/Qwen3-8B", "10,000 images and 10M docs", {}, id="tokens-are-counted-elsewhere"),
    ],
)  # fmt: skip
def test_amounts_are_read_for_the_kind_of_model(model: str, text: str, expected: dict[str, object]) -> None:
    found = amounts(Need(model=model), text)
    assert {key: found.get(key) for key in expected} == expected
    if not expected:
        assert not found


@pytest.mark.parametrize(
    ("need", "text", "intent"),
    [
        pytest.param(Need(model=SDXL), "SDXL 一天能出多少张图", "speed", id="pictures"),
        pytest.param(Need(model=WHISPER), "转写 1000 小时要多久", "speed", id="speech"),
        pytest.param(Need(model="torchvision/resnet50", epochs=90), "训练 90 轮要多久", "training_time", id="trains"),
        pytest.param(Need(model=SDXL), "SDXL LoRA 训练要多久", "training_time", id="generators-train-in-steps"),
        pytest.param(Need(model=WHISPER), "how long to fine tune it", "can_it_run", id="speech-is-untimed"),
        pytest.param(Need(model="google-bert/bert-large-uncased"), "how long to fine-tune BERT-large", "training_time",
                     id="encoders-train-on-tokens"),
        pytest.param(Need(model="Qwen/Qwen3-8B"), "how fast", None, id="language-models-as-before"),
        pytest.param(Need(model=SDXL), "能跑吗", None, id="not-about-pace"),
    ],
)  # fmt: skip
def test_the_pace_is_asked_in_words(need: Need, text: str, intent: str | None) -> None:
    assert pace_asked(need, text) == intent

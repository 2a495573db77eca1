"""Whether a statement of a document bears on what is asked: the same model and card, the same kind of work."""

import re

from assistant.compose.material import Material
from assistant.plan import requests
from kb.catalog import gpus, models
from kb.naming.names import gpu_names, model_names

_ANSWERS = re.compile(
    r"^(?:no|yes|not? (?:quite|necessarily))\b[:,.]|^(?:不是|不会|不用|不能|不|会|能|可以|是的|对)[，。：,:]", re.I
)
"""How a statement begins that answers the question of its own heading."""
_TRAINS = re.compile(
    r"微调|训练|梯度|优化器|反向|激活重算|LoRA|\bfine-?tun|\btrain(?:ing|s|ed)?\b|\bgradient|\boptimi[sz]er|backward",
    re.I,
)
_FROM_SCRATCH = re.compile(r"预训练|从头训练|\bpre-?train|from scratch", re.I)
_SERVES = re.compile(
    r"首字|首 ?token|提示词|推理|部署|并发|\bfirst token\b|\bTTFT\b|\bprompts?\b|\binference\b|\bserv(?:e|es|ing)\b"
    r"|vLLM|SGLang",
    re.I,
)
"""What only work with a finished model speaks of."""
_REINFORCED = re.compile(r"\b(?:GRPO|PPO|RLHF|DPO)\b|强化学习", re.I)
_FIELDS: dict[str, re.Pattern[str]] = {
    "diffusion": re.compile(
        r"扩散|出图|文生图|生图|视频生成|\bSDXL\b|\bFLUX\b|Stable Diffusion|\bdiffusion\b|image generation", re.I
    ),
    "speech": re.compile(r"\bWhisper\b|语音|转写|\bspeech\b|transcri|\bTTS\b", re.I),
    "vision": re.compile(r"检测|分割|\bYOLO|\bdetection\b|\bsegmentation\b|医学影像", re.I),
    "rendering": re.compile(r"渲染|Blender|\brender", re.I),
    "embedding": re.compile(r"向量模型|重排|\bembedding|\brerank", re.I),
}


def bears(text: str, material: Material) -> bool:
    """Whether the statement may stand beside the answer: it speaks of no other model, card or kind of work."""
    return (
        not _ANSWERS.search(text)
        and _same_models(text, material)
        and _same_cards(text, material)
        and _same_work(text, material)
    )


def other_work(passage: str, question: str) -> bool:
    """Whether a passage, by its heading and text, is about training where the question is plainly about serving."""
    return bool(_TRAINS.search(passage) and _SERVES.search(question) and not _TRAINS.search(question))


def _same_models(text: str, material: Material) -> bool:
    """No model is named, or one of the family in question is."""
    named = {models()[key].family for mention in model_names().scan(text) for key in mention.ids}
    known = models().get(material.need.model or "")
    asked = {models()[key].family for mention in model_names().scan(material.text) for key in mention.ids}
    return not named or bool(named & (asked | ({known.family} if known else set())))


def _same_cards(text: str, material: Material) -> bool:
    """No card is named, or one of those in question, or of the generation of one, is."""
    named = {key for mention in gpu_names().scan(text) for key in mention.ids}
    asked = {card for card in requests.named_gpus(material.need) if card in gpus()}
    return not named or bool(named & asked)


def _same_work(text: str, material: Material) -> bool:
    """Training beside training, serving beside serving, pictures beside pictures."""
    need, question = material.need, material.text
    if _REINFORCED.search(text) and need.method is None and not _REINFORCED.search(question):
        return False
    tunes = requests.is_training(need) and need.task != "pretrain"
    if tunes and _FROM_SCRATCH.search(text) and not _FROM_SCRATCH.search(question):
        return False
    trains = requests.is_training(need) or _TRAINS.search(question) is not None
    if _TRAINS.search(text) and need.task is not None and not trains and need.task not in ("general", "vision"):
        return False
    record = models().get(need.model or "")
    kinds: set[str | None] = {
        need.task,
        "diffusion" if record and record.kind == "video" else record.kind if record else None,
    }
    kinds |= {field for field, words in _FIELDS.items() if words.search(question)}
    spoken = {field for field, words in _FIELDS.items() if words.search(text)}
    return not spoken or bool(spoken & kinds) or need.task is None or (need.task == "rag" and spoken == {"embedding"})

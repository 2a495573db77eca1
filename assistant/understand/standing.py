"""What only words tell of work other than language: whether it trains, and which model most people mean by it.

A later turn does not repeat those words, so what they told stands in the Need.
"""

import re

from assistant.understand.progress import find_progress
from assistant.understanding import Asked, Way
from kb.catalog import models
from kb.constants.pictures import pictures
from tools.need import Need

OTHER_THAN_LANGUAGE = ("diffusion", "vision", "speech", "embedding")
"""Work whose task says what the model does, not whether it is trained."""
_COMMON: tuple[tuple[str, re.Pattern[str], str], ...] = (
    (
        "diffusion",
        re.compile(
            r"video (?:gen|model|mak)|(?:make|generat\w+|making) videos?"
            r"|[ti](?:ext|mage)?[- ]?(?:2|to)[- ]?v(?:ideo)?\b"
            r"|视频生成|生成视频|文生视频|图生视频|做视频|跑视频|出视频",
            re.I,
        ),
        "Wan-AI/Wan2.2-T2V-A14B",
    ),
    (
        "diffusion",
        re.compile(r"\bsd\b|sdxl|stable.?diffusion|krita|comfy|webui|出图|画图|生图|绘画|绘图|作画|文生图|image", re.I),
        "stabilityai/stable-diffusion-xl-base-1.0",
    ),
    (
        "speech",
        re.compile(r"whisper|transcri|转写|转录|\basr\b|语音识别|字幕|转文字|录音", re.I),
        "openai/whisper-large-v3",
    ),
    ("vision", re.compile(r"yolo", re.I), "ultralytics/yolov8x"),
    ("embedding", re.compile(r"re-?rank|重排", re.I), "BAAI/bge-reranker-v2-m3"),
    ("embedding", re.compile(r"embed|向量|嵌入", re.I), "BAAI/bge-m3"),
)
"""Task, words that point to it, and the model most people mean by them."""
_LORA = re.compile(
    r"(?<!not )(?<!no )(?<!not a )(?<!without )(?<!instead of )(?<!rather than )(?<!不是)(?<!不用)(?<!非)(?<!非 )lora",
    re.I,
)
_TRAINS = re.compile(
    r"训|微调|炼|\btrain|fine[- ]?tun|pretrain|\b(?:entren|entra[iî]n|trein|addestr)\w+|обуч|дообуч|学[習习]|학습"
    r"|\b(?:make|making|do|doing|hacer|haciendo|fazer|faire|machen|erstellen|fare) (?:an? |un |une |eine |uma )?lora"
    r"|(?:做|炼|搞)(?:一?个)? ?lora"
    r"|(?<!with )(?<!plus )(?<!load )\ban? (?:[\w.-]+ ){0,2}lora\b[^.?!\n]{0,40}?\b(?:takes?|needs?|requires?)\b"
    r"|\b(?:needed|required?|v?ram|memory|gpu|card) for (?:an? |my )?(?:[\w.-]+ ){0,3}loras?\b"
    r"|(?<![加带挂载]) ?lora ?(?:大概|一般|最少|至少)?(?:需要|[要需得占吃])[^。?!\n]{0,4}?(?:多少|多大|几)",
    re.I,
)
MANY_STEPS = 200
"""So many steps beside an adapter are those of its training: a picture takes tens."""
_RUNS = re.compile(
    r"推理|预测|部署|识别|\binfer|\bpredict|\bdeploy|\bserv(?:e|ing)\b|real[- ]?time|实时|摄像头|\bcameras?\b", re.I
)


def other_than_language(need: Need) -> bool:
    """Whether the work is images, speech, vision or embeddings, by its task or by its model."""
    record = models().get(need.model or "")
    return need.task in OTHER_THAN_LANGUAGE or (record is not None and record.kind not in {"llm", "vlm"})


def standing(text: str, need: Asked, before: Asked | None = None) -> Asked:
    """The Need with what the words tell besides; what they do not speak of stays as it was `before`."""
    if not other_than_language(need):
        return need.model_copy(update={"trained": None, "usual_model": None})
    same = before is not None and other_than_language(before)
    way = _way(text, need) or (before.trained if before and same and not _RUNS.search(text) else None)
    usual = next((name for task, words, name in _COMMON if task == need.task and words.search(text)), None)
    kept = before.usual_model if before and same and before.task == need.task else None
    return need.model_copy(update={"trained": way, "usual_model": None if need.model else usual or kept})


def _way(text: str, need: Asked) -> Way | None:
    """How it is trained, where the words say that it is."""
    adapter = _LORA.search(text) is not None
    ranked = adapter and need.lora_rank is not None
    stepped = adapter and need.task == "diffusion" and (find_progress(text).steps or 0) >= MANY_STEPS
    if not _TRAINS.search(text) and not ranked and not stepped and not _learns(text, need):
        return None
    return "lora" if _LORA.search(text) and need.task != "vision" else "full_finetune"


def _learns(text: str, need: Asked) -> bool:
    """Whether a network that sees is trained, though nobody says so: running one takes next to nothing.

    A batch of several, patches of a volume and running out of memory belong to training.
    """
    known = models().get(need.model or "")
    if known is None or known.kind != "vision" or _RUNS.search(text):
        return False
    volume = pictures().recipe(known.family).depth_px > 1
    return volume or need.intent == "oom" or (need.batch_size or 0) > 1

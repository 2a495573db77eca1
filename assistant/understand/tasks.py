"""What is to be done: inference, kinds of training, images, vision, speech, embedding, RAG, rendering."""

import re
from dataclasses import dataclass

from assistant.understand.served_adapters import find_served_adapters
from assistant.understand.text import Found, grammar
from tools.need import Task

_B, _E = r"(?<![a-z0-9])", r"(?![a-z])"
_RULES: tuple[tuple[Task, str], ...] = (
    ("qlora", rf"{_B}q-?lora|量化微调"),
    ("diffusion", (
        rf"{_B}(?:stable[- ]?diffusion|sd ?(?:1\.5|2\.1|3(?:\.5)?|xl|webui|画图|images?|plugin|模型)|sdxl"
        rf"|comfy ?ui|kohya\w{{0,4}}|dreambooth|flux(?:\.?1)?(?:[- ](?:dev|schnell|pro))?|controlnet|a1111"
        rf"|automatic1111|midjourney|invoke ?ai|image gen\w{{0,8}}|text[- ]to[- ](?:image|video)|t2v|i2v"
        rf"|video gen\w{{0,8}}|generate (?:images?|videos?|pictures)|wan ?2\.\d|hunyuan ?video"
        rf"|cogvideo\w{{0,3}}|animatediff|mochi|ltx|svd|diffusion){_E}|{_B}sd{_E}|画图|文生图|生图|文生视频"
        rf"|图生视频|视频生成|生成视频|出图|绘画|扩散模型|炼丹图"
    )),
    ("speech", (
        rf"{_B}(?:whisper\w{{0,4}}|asr|tts|vits(?! (?:and|or) )|gpt-?sovits|sovits|cosyvoice\d?|speech"
        rf"|transcri\w{{0,8}}"
        rf"|voice (?:clon\w{{0,4}}|model|conversion)|rvc|bark|xtts|paraformer|funasr|sensevoice"
        rf"|fish-?speech|f5-?tts|chattts|index-?tts|csm|wav2vec\w{{0,3}}|text[- ]to[- ]speech"
        rf"|large-v[23](?:-turbo)?|parakeet|kokoro|musicgen){_E}|语音|转录|转写|声音克隆|音色|配音|听写|转文字"
        r"|转[^,。?;]{0,10}(?:录音|音频)|(?:录音|音频)[^,。?;]{0,8}(?:转|识别)"
        rf"|transcrev\w{{0,4}}|transcrib\w{{0,4}}"
    )),
    ("vision", (
        rf"{_B}(?:yolo(?:v?\d{{1,2}}[a-z]?|x|r|-?world)?|resnet\d{{0,3}}|efficientnet|mask ?r-?cnn"
        rf"|faster ?r-?cnn|detr|u-?net(?:\+\+|3\+)?|\w{{0,12}}-?unet|segformer|sam2?|segment anything"
        rf"|segmentation|object detection|image classification|vits?(?:-?[bslgh](?:/?\d\d)?)?|clip"
        rf"|dino(?:v[23])?|swin|donut|ocr|mineru|paddleocr|nerf|gaussian splatting|3dgs|point ?clouds?"
        rf"|mmdet\w{{0,5}}|detectron2?|monai|nnu-?net|segcontrast|lidar|gan|stylegan\d?"
        rf"|medical imag\w{{0,4}}|convnext|mobilenet){_E}|目标检测|检测模型|分割|图像分类|图像识别|人脸识别"
        rf"|点云|计算机视觉|机器视觉|视觉(?!语言)|医学影像|卷积|(?<![a-z])cv(?![a-z])(?= ?(?:任务|方向|模型"
        rf"|训练|task|model))"
    )),
    ("embedding", (
        rf"{_B}(?:embeddings?|embedder|rerank(?:er|ing)?|bge[-\w.]{{0,20}}|gte-\w{{1,12}}|e5-\w{{1,12}}|m3e"
        rf"|jina-\w{{1,20}}|sentence[- ]transformers?|vector index"
        rf"|embed(?= [\w,. ]{{0,24}}(?:documents?|docs|texts?|passages?|chunks?|pages?|articles?|sentences?|records?"
        rf"|tokens?|corpus|paragraphs?))"
        rf"|(?:documents?|docs|texts?|passages?|chunks?|pages?|articles?|sentences?) to embed){_E}"
        r"|向量化|嵌入模型|向量模型|重排"
    )),
    ("rag", (
        rf"{_B}(?:rag|retrieval[- ]augmented|graphrag|ragflow|fastgpt|anythingllm"
        rf"|knowledge base){_E}|知识库|检索增强|文档问答"
    )),
    ("rendering", (
        rf"{_B}(?:blender|cycles|octane|redshift|v-?ray|arnold|unreal|ue5|d5 ?render|render(?:ing)?|keyshot"
        rf"|cinema ?4d|c4d|maya|3ds ?max|lumion|davinci|premiere){_E}|渲染|建模渲染"
    )),
    ("pretrain", (
        rf"{_B}(?:pre-?train(?:ing|ed from scratch)?|from scratch|continued pre-?training"
        rf"|continual pre-?training|nanogpt|minimind|cpt){_E}|预训练|从头|从零(?:开始)?训|从零预|继续预训"
        r"|训[^,。?]{0,16}从零"
    )),
    ("lora", (
        rf"{_B}(?:lora\w{{0,6}}|dora|rs-?lora|loha|adapters?|peft|p-?tuning(?:[- ]?v2)?|prefix[- ]tuning"
        rf"|freeze|longlora|parameter[- ]efficient){_E}|低秩|(?<=[a-z_])lora{_E}"
    )),
    ("full_finetune", (
        rf"{_B}(?:full[- ](?:parameters?|params?|weights?)(?:[- ](?:fine[- ]?tun\w{{0,3}}|train\w{{0,3}}"
        rf"|sft))?|full[- ]?(?:model )?(?:fine[- ]?tun\w{{0,3}}|ft|sft|training)"
        rf"|sft[- ]full"
        rf"|fully fine[- ]?tun\w{{0,3}}|fft"
        rf"|(?:fine[- ]?tun\w{{0,3}}|sft|train)(?: [\w.-]{{1,24}}){{1,6}} full(?:y(?![a-z]))?"
        rf"(?! ?(?:context|precision|length"
        rf"|epoch|dataset|speed|time|run|day|data|seq|custom|size|stack|node|power))){_E}"
        rf"|全参(?:数)?|全量|满参|finetuning_type\W{{1,4}}full"
    )),
)  # fmt: skip
_EACH = tuple((task, grammar(words)) for task, words in _RULES)
_FINETUNE = grammar(
    rf"{_B}(?:fine[- ]?tun\w{{0,4}}|finetunear|sft|instruction[- ]tun\w{{0,4}}|dpo|ppo|grpo|rlhf|rl"
    rf"|orpo|kto|gspo|dapo|rloo|rlvr|verl|openrlhf|tinyzero|open-r1"
    rf"|alpaca[- ]style|domain adapt\w{{0,6}}|tuned? (?:a|the|my|on)){_E}|微调|精调"
    rf"|(?:ppo|grpo|dpo|sft|orpo|kto|reward)[-_ ]?trainer|指令调优|强化学习|蒸馏训练|领域适配|对齐训练"
)
_TRAINER = grammar(r"(?<![a-z])(?:axolotl|torchtune|llama[-_ ]?factory|xtuner|alignment[- ]handbook|galore)(?![a-z])")
"""Software that does nothing but train."""
_TRAIN = grammar(
    rf"{_B}(?:train(?:ing|s|ed(?! (?:down )?(?:to|at) (?:pcie|gen|x\d)))?|epochs?"
    rf"|retrain\w{{0,3}}|ddp|reproduc\w{{1,4}}|entrenar|entra[iî]ner|treinar"
    rf"|trainieren|all_?reduce\w{{0,5}}){_E}|训练|训|炼丹|复现|(?<!微)调优"
)
_SERVE = grammar(
    rf"{_B}(?:infer\w{{0,6}}|serv(?:e|es|ing)|deploy\w{{0,4}}|run(?:s|ning)?|host(?:ing)?|chat(?:bot)?"
    rf"|load(?:s|ing)?|generat\w{{1,4}}|decode|prefill|tok(?:en)?s?/s|t/s|tokens? per second|tps|tpot|ttft"
    rf"|vllm|sglang|ollama|(?:llama|llm)[- ]servers?|llama[-_. ]?cpp\w{{0,3}}|lm ?studio|tgi|lmdeploy|xinference"
    rf"|ktransformers"
    rf"|exllama\w{{0,3}}|gguf|correr|ejecutar|rodar|lancer|laufen|betreiben|tensor[-_]parallel[-_]size"
    rf"|max[-_]model[-_]len|assistant|agent|api|summari[sz]\w{{1,5}}|translat\w{{1,4}}|classify\w{{0,3}}"
    rf"|extract\w{{0,4}}|writ(?:es?|ing) (?:about |some )?\d[\d.,]{{0,12}} ?[kmb]?n?"
    rf"|quantis\w{{1,6}}|quantiz\w{{1,6}}){_E}|推理|部署|跑"
    rf"|运行|本地化|在线服务|起服务|客服|对话|问答|量化|上线|调用|生成|翻译|总结|摘要|抽取|改写|首字|并发"
)
_NOT = grammar(
    r"(?:不(?:是|用|要|想|做)?|别|没有?|not|no|n't|without|instead of|rather than|except|isn't)\s?(?:想"
    r"|want|do|use|需要)?\s?$"
)
_NOT_AFTER = grammar(r"\s?(?:is|are)(?:n't| not) (?:what|enough|an option|possible)|\s?(?:不行|不够好|不考虑|没写)")


REINFORCED = grammar(
    r"(?<![a-z])(?:ppo|grpo|dpo|rlhf|gspo|dapo|rloo|verl|openrlhf|tinyzero|open-r1)(?:trainer)?(?![a-z])|强化学习"
)
_SERVED_ADAPTERS = grammar(
    r"enable[-_]lora|max[-_](?:cpu[-_])?loras|max[-_]lora[-_]rank|lora[-_]modules|multi-?lora|多 ?lora"
    r"|(?:its|their) own lora"
    r"|(?:serv\w{1,3}|deploy\w{0,3}|部署|推理|加载|挂载?)[^。?!\n]{0,16}?lora(?! ?(?:微调|训|fine|train))"
)
"""Adapters that a server loads beside the model: nothing is trained."""
_ONLY_SERVE = grammar(
    r"只(?:做|跑|用来)?推理|仅推理|纯推理|inference only"
    r"|inference[^.?!\n]{0,40}?or (?:is it |are they )?(?:just|only|mainly) (?:for |with )?training"
    r"|only (?:for )?inference|just inference|only infer|inference (?:alone|only)|(?:只|光|单)推理"
    r"|合并(?:后|完|好|了)?[^。?!\n]{0,4}(?:推理|部署|上线)|(?:训|微调|练)完(?:了|后|之后"
    r"|合并后)?[^。?!\n]{0,6}(?:推理|部署|上线)"
)
_PAST = grammar(r"(?:过|后|好|完)?的|(?:过|后|好)(?!.{0,3}(?:吗|要))|d (?:model|on|in|with)|ed (?:model|on|in|with|to)")
_TO_BE = grammar(r"(?<![a-z])(?:be|get|gets|got|being|been|is|are) $")
"""What makes "fine-tuned" something still to be done: "can it be fine-tuned"."""
_SPECIAL = ("diffusion", "speech", "vision", "embedding", "rag", "rendering")
_BY_KIND: dict[str, Task] = {
    "diffusion": "diffusion", "video": "diffusion", "speech": "speech", "vision": "vision",
    "embedding": "embedding", "reranker": "embedding",
}  # fmt: skip
_FULL_BYTES = 18
"""Bytes a parameter of full fine-tuning with mixed-precision AdamW: weights 2, gradients 2, states 12, some room."""
_REINFORCED_BYTES = 24
"""The same with a frozen reference model and rollouts beside it (PPO, GRPO, DPO)."""
_LORA_BYTES = 2.4
"""Bytes a parameter for adapters on 16-bit weights, activations and all, at the least."""
_MANY_CARDS = 8
_CORPUS_TOKENS = 2_000_000_000
"""Data from which training is pretraining: fine-tuning sets are a thousandth of it."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What else decides the task."""

    model_kind: str | None
    """Kind of the catalog model, when one is named."""
    sized: bool
    params: int | None
    total_bytes: int | None
    """Memory of all cards given."""
    cards: int
    dataset_tokens: int | None
    modest: bool
    """Whether the cards named are consumer ones, or none but a budget."""
    reinforced: bool
    """Whether a reference model is held too: PPO, GRPO, DPO."""
    running: bool
    """Whether the question can only be about running models: formats compared, what fits."""
    four_bit: bool
    sharded: bool


@dataclass(frozen=True, slots=True)
class Work:
    """Signs of what is to be done."""

    named: tuple[Found[Task], ...]
    """Tasks that words name outright, negated ones left out."""
    finetune: Found[str] | None
    train: Found[str] | None
    serve: Found[str] | None
    only_serve: Found[str] | None
    serves_adapters: Found[str] | None = None


def find_work(text: str) -> Work:
    """Every sign of a task in the masked text."""
    named = [
        Found(task, m.start(), m.end())
        for task, rule in _EACH
        for m in rule.finditer(text)
        if not _negated(text, m.start(), m.end())
    ]
    return Work(
        tuple(named),
        _first(_FINETUNE, text, past=True) or (None if _first(_SERVE, text) else _first(_TRAINER, text)),
        _first(_TRAIN, text, past=True),
        _first(_SERVE, text),
        _first(_ONLY_SERVE, text),
        _first(_SERVED_ADAPTERS, text) or _counted_adapters(text),
    )


def _counted_adapters(text: str) -> Found[str] | None:
    """Several adapters that a server holds, however it is put."""
    found = find_served_adapters(text)
    return Found(text[found.start : found.end], found.start, found.end) if found and found.value > 1 else None


def _first(rule: re.Pattern[str], text: str, *, past: bool = False) -> Found[str] | None:
    """The first sign that is not negated, nor (with `past`) said of something already done: 「微调后的模型」."""
    signs = (m for m in rule.finditer(text) if not _negated(text, m.start(), m.end()))
    match = next((m for m in signs if not (past and _done(text, m))), None)
    return Found(match[0], match.start(), match.end()) if match else None


def _done(text: str, match: re.Match[str]) -> bool:
    """Whether it is said of a model that has it behind it: "the fine-tuned 8B", 「微调后的模型」."""
    tuned = match[0].endswith("tuned") and not _TO_BE.search(text[max(0, match.start() - 10) : match.start()])
    return tuned or _PAST.match(text, match.end()) is not None


def _negated(text: str, start: int, end: int) -> bool:
    return bool(_NOT.search(text[max(0, start - 14) : start]) or _NOT_AFTER.match(text, end))


def decide_task(work: Work, setting: Setting) -> Found[Task] | None:
    """The task: what the model is for, else what words name, else what kind of training the hardware suggests."""
    if setting.model_kind in _BY_KIND:
        return Found(_BY_KIND[setting.model_kind], 0, 0)
    names = {found.value: found for found in reversed(work.named)}
    generative = setting.model_kind is not None
    special = [found for found in work.named if found.value in _SPECIAL and not (generative and found.value != "rag")]
    adapted = {"lora", "qlora"} & names.keys() and not work.serves_adapters
    if special and not (adapted and all(found.value == "rag" for found in special)):
        return names.get("rag", min(special, key=lambda found: found.start))
    if (work.only_serve or work.serves_adapters) and not (work.finetune or work.train):
        only = work.only_serve or work.serves_adapters
        return Found("inference", only.start, only.end) if only else None
    for task in ("qlora", "lora", "full_finetune", "pretrain"):
        if task in names:
            four_bit = task == "lora" and setting.four_bit
            return Found("qlora", names[task].start, names[task].end) if four_bit else names[task]
    if work.only_serve:
        return Found("inference", work.only_serve.start, work.only_serve.end)
    training = work.finetune or work.train
    if work.train and not work.finetune and (setting.dataset_tokens or 0) >= _CORPUS_TOKENS:
        return Found("pretrain", work.train.start, work.train.end)
    if training:
        kind = _kind_of_training(setting)
        if kind == "qlora" and not work.finetune and not setting.four_bit:
            kind = "full_finetune"  # who says "train" of a model that not even adapters fit for is told no, then how
        return Found(kind, training.start, training.end)
    if (setting.dataset_tokens or 0) >= _CORPUS_TOKENS and not work.serve:
        return Found("pretrain", 0, 0)
    if setting.sharded:
        return Found("full_finetune", 0, 0)  # optimizer states are what is sharded
    if work.serve:
        return Found("inference", work.serve.start, work.serve.end)
    return Found("inference", 0, 0) if setting.sized or setting.running else None


def _kind_of_training(setting: Setting) -> Task:
    """Of "fine-tune" without saying how, the most thorough kind that the cards in hand could hold.

    Sharding over cards is what one sets up for full fine-tuning; four-bit weights are what one trains adapters on.
    """
    if setting.four_bit:
        return "qlora"
    if setting.sharded or not (setting.params and setting.total_bytes):
        return "lora" if setting.modest and not setting.sharded else "full_finetune"
    each = _REINFORCED_BYTES if setting.reinforced else _FULL_BYTES
    if (setting.cards >= _MANY_CARDS and not setting.modest) or setting.total_bytes >= setting.params * each:
        return "full_finetune"
    return "lora" if setting.total_bytes >= setting.params * _LORA_BYTES else "qlora"

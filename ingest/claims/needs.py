"""Memory that models need: stated sizes, cards counted against them, training rules of thumb."""

import re
from collections.abc import Iterator

from ingest.claims.facts import cards, link_source, links, shared_name, usual_memory_bytes
from ingest.claims.finding import Finding, Verdict
from ingest.claims.reading import Clause, Rig, gpus_in, models_in, rigs_in
from kb.catalog import gpus, models
from kb.records.model import Model
from kb.units import GB, GIB, format_count

BYTES_4_BIT, BYTES_16_BIT = 0.5, 2.0
"""Bytes a parameter takes at 4 and at 16 bits: nothing but the weights, so a floor of any need."""
TRAINED_PARAMS_MIN = 5e9
"""Smaller models are trained on one card, and their activations matter more than their parameters."""
MUCH_MORE = 2.5
"""From which ratio cards and a size on one line have nothing to do with each other."""
SIZE = re.compile(r"(?<![\d.\-–])(\d{1,3}(?:,\d{3})+|\d{1,5}(?:\.\d{1,3})?)\s*(GB|TB|G)(?![A-Za-z/])", re.IGNORECASE)
_NEED = re.compile(r"显存|VRAM|GPU memory|memory need|内存需求", re.IGNORECASE)
_NEEDS = re.compile(r"需|至少|最低|needs?|requires?|at least|≥", re.IGNORECASE)
_WEIGHTS = re.compile(
    r"(?:权重|\bweights?\b)(?!\s*(?:of|的)?\s*(?:LoRA|adapter))[^,，;；。\d]{0,24}?(?<![\d.\-–])"
    r"(\d{1,3}(?:,\d{3})+|\d{1,5}(?:\.\d{1,3})?)\s*(GB|TB)(?![A-Za-z/])",
    re.IGNORECASE,
)
_EACH = re.compile(r"每卡|每张|单卡|per GPU|per card|各", re.IGNORECASE)
TRAIN = re.compile(r"(?<!预)训练|(?<!pre-)train|全参|full[- ]parameter|full(?:y)?[- ]fine", re.IGNORECASE)
FULL = re.compile(r"全参|full[- ]parameter|full(?:y)?[- ]fine", re.IGNORECASE)
CHEAPER = re.compile(r"lora|offload|卸载|peft|adapter|推理|inference|量化", re.IGNORECASE)
REFUTED = re.compile(r"不是|并非|不等于|误区|错误|\b(?:is no|is not|isn't|myth|wrong|mistake)\b", re.IGNORECASE)
_EXPERTS = re.compile(r"(?<![A-Za-z])MoE(?![A-Za-z])|混合专家|mixture[- ]of[- ]experts", re.IGNORECASE)
_ACTIVE_ONLY = re.compile(
    r"显存[^,，。;；]{0,8}(?:只|仅)[^,，。;；]{0,8}(?:激活|活跃)(?:的)?参数"
    r"|(?:只|仅)(?:需|要|用)?[^,，。;；]{0,6}(?:激活|活跃)参数(?:的|所需|占用)?[^,，。;；]{0,6}显存"
    r"|(?:VRAM|memory)\b[^.;]{0,40}\bonly\b[^.;]{0,24}\bactive\b[^.;]{0,12}\bparam"
    r"|\bonly\b[^.;]{0,16}\bactive\b[^.;]{0,12}\bparam\w*[^.;]{0,30}(?:VRAM|memory)\b"
    r"|\bonly\b[^.;]{0,16}(?:VRAM|memory)\b[^.;]{0,30}\bactive\b[^.;]{0,12}\bparam"
    r"|激活[^,，。;；]{0,6}?(\d+(?:\.\d)?)\s*B\b[^。;；]{0,16}显存[^,，。;；]{0,4}(?:按|只要|只需|照)[^,，。;；]{0,4}\1\s*B",
    re.IGNORECASE,
)
_CARDS = re.compile(r"(\d{1,4})\s*(?:卡|[- ]GPU|GPUs)\s*(?:上|来)?\s*(?:训练|train)", re.IGNORECASE)
_PER_PARAM = re.compile(
    r"参数量?\s*[×x*]\s*(\d{1,2}(?:\.\d)?)|parameters?\s*[×x*]\s*(\d{1,2}(?:\.\d)?)"
    r"|(?:每个?参数|每参数)[^\d。；;]{0,10}?(\d{1,2})\s*(?:个)?(?:字节|bytes?|B\b)"
    r"|(\d{1,2})\s*bytes? (?:per|a|an|for each|for every) param",
    re.IGNORECASE,
)
_OVER_WEIGHTS = re.compile(r"(?:参数占用|模型大小|权重|model size|weights)\s*[×x*]\s*(\d(?:\.\d{1,2})?)", re.IGNORECASE)
_FORMATS = (
    (re.compile(r"(?<![A-Za-z])(?:FP32|float32|全精度)(?!\d)", re.IGNORECASE), 4.0),
    (re.compile(r"(?<![A-Za-z])(?:FP16|BF16|float16|bfloat16|半精度|16[- ]bit)(?!\d)", re.IGNORECASE), BYTES_16_BIT),
    (re.compile(r"(?<![A-Za-z])(?:FP8|INT8|Q8_0|8[- ]bit|8\s*位)(?!\d)", re.IGNORECASE), 1.0),
    (
        re.compile(r"(?<![A-Za-z])(?:INT4|NF4|FP4|MXFP4|AWQ|GPTQ|Q4\w*|4[- ]bits?|4\s*位)(?!\d)", re.IGNORECASE),
        BYTES_4_BIT,
    ),
    (re.compile(r"(?<![A-Za-z])(?:Q[2356]_\w+|IQ\d|[2356][- ]bit|量化|quanti[sz]|offload|卸载)", re.IGNORECASE), 0.0),
)
"""Formats with their bytes a parameter; the last row stands for what would need a closer look."""
BY_SIZE = re.compile(
    r"(?<![\w.])(\d{1,4}(?:\.\d)?)\s*B[- ]*(?:参数量?)?\s*(?:的)?\s*(?:大?模型|model|LLM)", re.IGNORECASE
)
"""A model named by nothing but its size: 「70B 模型」."""
_FOR_MANY = re.compile(
    r"上下文|并发|用户|长文|批|微调|训练|视频|context|concurren|users?\b|batch|tun(?:e|ing)|train|video", re.IGNORECASE
)
"""What may need far more memory than the weights."""
OVERSTATED, ROOM = 3, 4e9
"""A plain need above so many times the weights in 32 bits, and this room, is no need."""
FILLED = 0.96
"""Share of the cards that weights alone may fill; what is left holds buffers and a first cache."""
FORMAT_SLACK = 0.9
"""Share of the weights below which a size cannot be meant for them: 65 billion are called 70."""
ENOUGH = re.compile(
    r"enough|suffic|fits?\b|can (?:run|hold|load|serve)|\bruns? (?:\w+ )?(?:on|in)\b|够|即可|装得下|放得下"
    r"|可以?(?:用|运行|装下|跑|部署|加载|完整)|能[^,，。;；不]{0,14}(?:用|运行|装下|跑|部署)",
    re.IGNORECASE,
)
CHEAPER_PLACE = re.compile(
    r"offload|卸载|cpu|内存|host|不能|不够|装不下|放不下|not |n't |too small|cannot|lora", re.IGNORECASE
)
_TOO_LITTLE = re.compile(
    r"装不下|放不下|存不下|不够|不足|不行|跑不[动了起]|不能|无法|insufficient|too (?:small|little)|not (?:be )?enough"
    r"|not suffic|(?:not|n't|cannot) (?:hold|fit|load|run|serve|be)",
    re.IGNORECASE,
)
_SERIES = re.compile(r"(?:RTX|NVIDIA|GeForce)\s*(?:RTX\s*)?([2345])0(?:00)?\s*(?:系列|系|[- ]?series)", re.IGNORECASE)


def need_findings(clause: Clause) -> Iterator[Finding]:
    """Judge what the clause says models need and machines hold."""
    yield from _stated(clause)
    yield from _weights(clause)
    yield from _counted(clause)
    yield from _held_in_format(clause)
    yield from _trained(clause)
    yield from _rules(clause)
    yield from _inference_rule(clause)
    yield from _experts_rule(clause)
    yield from _series(clause)


def _stated(clause: Clause) -> Iterator[Finding]:
    """A size said to be enough for a model."""
    subjects = clause.models or (models_in(clause.cells[0]) if clause.cells and clause.text != clause.cells[0] else [])
    if len(subjects) != 1 or _EACH.search(clause.text):
        return
    if not (_NEED.search(clause.said) or _NEED.search(clause.label)) or gpus_in(clause.text):
        return
    match = SIZE.search(clause.text, subjects[0].end if clause.models else 0)
    if match is None:
        return
    model = models()[subjects[0].ids[0]]
    size = _bytes(match)
    yield _need(clause, model, subjects[0].text, match[0], size)


def _need(clause: Clause, model: Model, text: str, claimed: str, size: float) -> Finding:
    context = f"{clause.said} {clause.heading if clause.cells else ''}"
    trains = TRAIN.search(clause.text) and not CHEAPER.search(clause.text)
    native = {"fp8": 1.0, "mxfp4": BYTES_4_BIT, "int4": BYTES_4_BIT}.get(model.native_format, BYTES_16_BIT)
    floor, wide = model.params * BYTES_4_BIT, model.params * BYTES_16_BIT
    per_param = links()["training_bytes_per_param"]
    verdict: Verdict = "holds"
    correct = (
        f"weights alone: {wide / GB:.4g} GB at 16 bits, {floor / GB:.3g} GB at 4 bits; cache and buffers come on top"
    )
    if trains and model.params >= 1e9 and size < model.params * per_param / 2:
        verdict = "wrong"
        trained = model.params * per_param / GB
        correct = f"full training with Adam holds about {per_param} bytes a parameter: {trained:,.0f} GB"
    elif size < floor and "lora" not in context:
        verdict = "wrong"
    elif (named := named_format(clause.text)) and not trains and size < FORMAT_SLACK * model.params * named[1]:
        verdict = "wrong"
        correct = f"{named[0]} weights alone: {model.params * named[1] / GB:.4g} GB; cache and buffers come on top"
    elif native < BYTES_16_BIT and abs(size - wide) < 0.1 * wide:
        verdict = "wrong"
        correct = f"published in {model.native_format}: {model.params * native / GB:.4g} GB of weights; {correct}"
    elif size > OVERSTATED * 4 * model.params + ROOM and _NEEDS.search(clause.said) and not _FOR_MANY.search(context):
        verdict = "wrong"
    return clause.finding(
        quote=clause.row if clause.cells else clause.text,
        subject=model.name if model.name else text,
        attribute="memory needed",
        claimed_value=claimed,
        verdict=verdict,
        correct_value=correct,
        source=f"parameters of {model.id}",
        number=size,
    )


def _weights(clause: Clause) -> Iterator[Finding]:
    """「Yi-34B 的 FP16 权重约 34GB」, in a sentence or under a header: fewer bytes than the format takes."""
    about = clause.models or (models_in(clause.cells[0]) if clause.cells and clause.text != clause.cells[0] else [])
    stated = named_format(clause.label if clause.cells else clause.text)
    headed = clause.cells and re.search(r"权重|\bweights?\b", clause.label, re.IGNORECASE)
    match = _WEIGHTS.search(f"weights: {clause.text}" if headed else clause.text)
    if match is None or len(about) != 1 or stated is None or not stated[1] or gpus_in(clause.text):
        return
    model = models()[about[0].ids[0]]
    needed = model.params * stated[1]
    claimed = _bytes(match)
    if claimed < FORMAT_SLACK * needed:
        yield clause.finding(
            quote=clause.row if clause.cells else clause.text,
            subject=model.name,
            attribute="memory needed",
            claimed_value=f"{match[1]} {match[2]}",
            verdict="wrong",
            correct_value=f"{stated[0]} weights alone: {needed / GB:.4g} GB; cache and buffers come on top",
            source=f"parameters of {model.id}",
            number=claimed,
        )


def named_format(text: str) -> tuple[str, float] | None:
    """The one weight format a text names, with its bytes a parameter; null when it names none or several."""
    found = {bytes_each: match[0] for pattern, bytes_each in _FORMATS if (match := pattern.search(text))}
    return (next(iter(found.values())), next(iter(found))) if len(found) == 1 else None


def _held_in_format(clause: Clause) -> Iterator[Finding]:
    """Cards said to hold a model in a format whose weights alone are larger."""
    named, about = named_format(clause.text), clause.about_models
    every = rigs_in(clause.text, clause.line)
    rigs = [one for one in every if ENOUGH.search(clause.text if len(every) == 1 else _part(clause.text, one.end))]
    if len(rigs) != 1 or len(about) != 1 or named is None:
        return
    if TRAIN.search(clause.text) or CHEAPER_PLACE.search(clause.text) or REFUTED.search(clause.text):
        return
    model, rig = models()[about[0].ids[0]], rigs[0]
    held = rig.count * max(card.memory_bytes for card in cards(rig.gpus))
    needed = model.params * named[1]
    yield clause.finding(
        subject=model.name,
        attribute="memory needed",
        claimed_value=rig.text,
        verdict="wrong" if FILLED * held < needed else "holds",
        correct_value=f"{named[0]} weights alone: {needed / GB:.4g} GB; the cards hold {held / GIB:,.0f} GB",
        source=f"parameters of {model.id}",
    )


def _counted(clause: Clause) -> Iterator[Finding]:
    """Cards that together hold less than the line itself says is needed."""
    rigs = rigs_in(clause.text, clause.line)
    if not rigs:
        return
    for rig in rigs[:1]:
        other = clause.row if clause.cells else clause.text
        sizes = [(_bytes(match), match[0]) for match in SIZE.finditer(other) if _is_need(other, match)]
        if not sizes or too_little(clause.text, rig.end):
            continue
        needed, said = max(sizes)
        each = usual_memory_bytes(rig.gpus)
        # Documents count GB as the box prints them, so both sides are read alike.
        held = rig.count * each / GIB
        if needed / GB <= held / MUCH_MORE:
            continue
        short = held < needed / GB
        yield clause.finding(
            quote=clause.row if clause.cells else clause.text,
            subject=_subject(clause) or shared_name(rig.gpus, rig.text),
            attribute="cards for the memory stated",
            claimed_value=f"{rig.count} × {each / GIB:g} GB for {said}",
            verdict="wrong" if short else "holds",
            correct_value=f"{rig.count} × {each / GIB:g} GB = {held:,.0f} GB, {'' if short else 'no '}less than {said}",
            source="arithmetic",
        )


def _part(text: str, place: int) -> str:
    """What stands between the commas around a place."""
    before, after = re.split(r"[,，;；。]", text[:place])[-1], re.split(r"[,，;；。]", text[place:])[0]
    return before + after


def too_little(text: str, end: int) -> bool:
    """Whether the cards whose name ends there are said to be too few, up to the next comma."""
    return bool(_TOO_LITTLE.search(re.split(r"[,，;；。]|\.\s", text[end:])[0]))


def _is_need(text: str, match: re.Match[str]) -> bool:
    """Whether a size is what something needs, not what a card holds."""
    if any(one.start <= match.start() and match.end() <= one.end + 3 for one in gpus_in(text)):
        return False
    before = text[max(0, match.start() - 12) : match.start()]
    after = text[match.end() : match.end() + 6]
    return bool(_NEEDS.search(before) or re.search(r"[~≈约]\s*$", before)) and not _EACH.search(before + after)


def _subject(clause: Clause) -> str | None:
    found = [] if clause.cells else models_in(clause.text)
    found = found or models_in(clause.row)
    return models()[found[0].ids[0]].name if found else None


def _trained(clause: Clause) -> Iterator[Finding]:
    """Cards said to train a model whose training state they cannot hold."""
    sized = BY_SIZE.search(clause.text) if not clause.models and FULL.search(clause.text) else None
    if not (clause.models or sized) or not TRAIN.search(clause.text):
        return
    if CHEAPER.search(clause.text) and not FULL.search(clause.text):
        return
    rig = _training_rig(clause)
    if rig is None:
        return
    per_param = links()["training_bytes_per_param"]
    held = rig.count * usual_memory_bytes(rig.gpus)
    named = [(one.name, float(one.params)) for one in (models()[mention.ids[0]] for mention in clause.models)]
    for name, params in named or ([(sized[0], float(sized[1]) * 1e9)] if sized else []):
        if params < TRAINED_PARAMS_MIN:
            continue
        needed = params * per_param
        yield clause.finding(
            subject=name,
            attribute="full training",
            claimed_value=rig.text,
            verdict="wrong" if held < needed else "holds",
            correct_value=(
                f"{format_count(params)} parameters × {per_param} bytes = {needed / GB:,.0f} GB before "
                f"activations; the cards hold {held / GIB:,.0f} GB (LoRA, QLoRA or offloading need less)"
            ),
            source=link_source("training"),
        )


def _training_rig(clause: Clause) -> Rig | None:
    """The cards a training claim is about: counted in the clause with those named on the line, else those above."""
    counted = _CARDS.search(clause.text)
    if counted:
        named = gpus_in(clause.row) or gpus_in(clause.text)
        biggest = max(named, key=lambda one: max(card.memory_bytes for card in cards(one.ids)), default=None)
        return Rig(int(counted[1]), biggest.ids, f"{counted[1]} × {biggest.text}", clause.line) if biggest else None
    here = rigs_in(clause.text, clause.line)
    return here[0] if len(here) == 1 else clause.rig


def _rules(clause: Clause) -> Iterator[Finding]:
    """Rules of thumb for training that leave out gradients and optimizer states."""
    training = re.search(r"训练|train|优化器|optimi[sz]er|全参|fine-?tun", clause.said)
    if not training or re.search(r"推理|inference|lora", clause.said if "fine" in training[0] else clause.label):
        return
    per_param = links()["training_bytes_per_param"]
    match = _PER_PARAM.search(clause.text)
    over = _OVER_WEIGHTS.search(clause.text)
    factor = float(next(filter(None, match.groups()))) if match else float(over[1]) * BYTES_16_BIT if over else None
    found = match or over
    if factor is None or found is None or REFUTED.search(clause.text):
        return
    if match and (match[3] or match[4]) and not re.search(r"adamw?|混合精度|mixed", clause.said):
        return  # an optimizer of its own may need less
    yield clause.finding(
        subject="training memory",
        attribute="bytes per parameter",
        claimed_value=found[0],
        verdict="wrong" if factor < per_param / 2 else "holds",
        correct_value=(
            f"about {per_param} bytes a parameter with Adam in mixed precision (weights, gradients, master copy, two "
            "moments), plus activations"
        ),
        source=link_source("training"),
        number=factor,
    )


def _experts_rule(clause: Clause) -> Iterator[Finding]:
    """ "MoE memory counts only the active parameters": a router may choose any expert, so all of them are held."""
    match = _ACTIVE_ONLY.search(clause.text)
    if match is None or REFUTED.search(clause.text):
        return
    sparse = any(models()[mention.ids[0]].experts for mention in clause.models)
    if not sparse and not _EXPERTS.search(f"{clause.heading} {clause.text}"):
        return
    yield clause.finding(
        subject="mixture of experts",
        attribute="parameters held",
        claimed_value=match[0],
        verdict="wrong",
        correct_value="all parameters are held in memory; only the work of a token follows the active ones",
        source="arithmetic",
    )


def _inference_rule(clause: Clause) -> Iterator[Finding]:
    """A formula for inference memory that counts the batch and forgets the weights."""
    if not re.search(r"推理|inference", clause.label, re.IGNORECASE) or not re.search(r"[×*]", clause.text):
        return
    if not re.search(r"批量|batch", clause.text, re.IGNORECASE) or re.search(r"参数|权重|weight|param|KV", clause.text):
        return
    yield clause.finding(
        subject="inference memory",
        attribute="formula",
        claimed_value=clause.text.partition("：" if "：" in clause.text else ":")[2].strip() or clause.text.strip(),
        verdict="wrong",
        correct_value="weights (parameters × bytes of the format) + KV cache + activations and buffers",
        source="memory formula of estimate_memory",
    )


def _series(clause: Clause) -> Iterator[Finding]:
    """A memory size asked of a series none of whose cards has it."""
    series = _SERIES.search(clause.text)
    match = SIZE.search(clause.text, series.end()) if series else None
    if series is None or match is None:
        return
    family = [
        card for card in gpus().values() if re.match(rf"rtx-{series[1]}0\d\d", card.id) and card.status != "modified"
    ]
    most = max(card.memory_bytes for card in family)
    largest = [card.name for card in family if card.memory_bytes == most]
    yield clause.finding(
        subject=series[0],
        attribute="memory",
        claimed_value=match[0],
        verdict="wrong" if _bytes(match) * GIB / GB > most else "holds",
        correct_value=f"at most {most / GIB:g} GB ({', '.join(largest)})",
        source=None,
        number=_bytes(match),
    )


def _bytes(match: re.Match[str]) -> float:
    return float(match[1].replace(",", "")) * (1000 if match[2].lower() == "tb" else 1) * GB

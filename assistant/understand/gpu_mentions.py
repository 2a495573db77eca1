"""GPUs named in a text: names, instances one can rent, and which variant the words around a name leave."""

import re
from dataclasses import replace
from functools import lru_cache

from assistant.understand.named import NamedGpu
from assistant.understand.quantities import GPU, count_of
from assistant.understand.sizes import Size
from assistant.understand.text import Text, grammar
from kb.base import AdvisorError
from kb.catalog import conventional, gpu_ids, gpus, offers
from kb.lexicon.cards.macs import mac_mentions
from kb.lexicon.cards.unified import is_unified, of_memory, stated_gib
from kb.naming.names import Mention, gpu_names
from kb.units import GIB

_AFTER_NAME = grammar(
    r"b(?![a-z])|\s?个?(?:用户|人(?![工脸])|users?(?![a-z])|tokens?(?! ?(?:per|[/;]|a|each) ?s)|步"
    r"|steps|元|块钱|rmb|条|页|字|samples"
    r"|dollars|usd|euros?)(?![a-z])"
)
_BEFORE_NAME = grammar(r"(?:[$¥€£]\s?|\d\.|cuda |driver |驱动 ?|(?<![a-z])port |host:|\d\.\d{1,3}:)$")
_INSTANCE = grammar(r"(?<![a-z0-9.])(?:ml\.)?([a-z][a-z0-9]{0,12}(?:[._-][a-z0-9]{1,16}){1,6})")
_FAMILY = grammar(r"(?<![a-z0-9.-])([pg]\d[a-z]{0,3})(?![a-z0-9.])")
_AMAZON = grammar(r"(?<![a-z])(?:aws|ec2|sagemaker|amazon|instances?|xlarge)(?![a-z])|xlarge")
_SHORT_NAMES = {"a2": "a2-16gb"}
"""Names that are other things than cards unless they stand in a list of cards."""
_SHORT = grammar(rf"(?<![a-z0-9.-])(?:{'|'.join(_SHORT_NAMES)})(?![a-z0-9.-])")
_JOINER = r"(?:[,;/、]|(?<![a-z])(?:or|and|vs\.?|versus)(?![a-z])|还是|或者?|和|跟|与)"
_AGAINST_NAME = grammar(
    rf"{GPU}\s?(?:的\s?)?(?:\d{{1,3}}\s?gb?|pcie|sxm\d?|nvl)?\s?(?:的|版本?|卡|cards?|versions?)?\s?"
    rf"(?:(?:相?比|对比?|对上|compared (?:to|with)|against|than)|{_JOINER})\s?"
    r"(?:the |an? |还是)?(?:\d{2,3}\s?gb? ?(?:的 ?)?)?$"
)
"""A card's name and what joins another to it, at the end of a text."""
_JOINED_BEFORE = grammar(rf"s?\s?{_JOINER}\s?(?:or |and )?(?:an? |the |还是)?$")
_JOINED_AFTER = grammar(rf"s?\s?{_JOINER}\s?(?:or |and )?(?:an? |the |还是)?")
VARIANT = grammar(r"\s?(ada|blackwell|turing|super|ti|max-q)(?![a-z])")
_SUPER = grammar(r"[ -]?super(?![a-z])")
_GEFORCE = grammar(r"(?<!\d)[1-9]0[5-9]0(?!\d)")
_LAPTOP = grammar(r"笔记本|laptop|notebook|移动端|移动版|mobile|游戏本|全能本")
_DESKTOP = grammar(r"台式(?:机|版|卡)?|桌面(?:版|端|卡)|(?<![a-z])desktop (?:version|card|variant|gpu|one)?")
"""The card of the same name that is no laptop's."""
_FORMS = ("pcie", "sxm", "nvl", "oam", "max-q", "server")
_FORM = grammar(r"(?<![a-z])(sxm|pcie|nvl)\d?(?! ?(?:x\d|[345]\.0|lane|slot|插槽|通道))(?![a-z])")
_ADAPTED = grammar(r"(?:转接?|转成|改|adapted to|converted to|adapter to|to|in an?)\s?$")
"""What makes a form the slot that a module is adapted to, not another card."""
_OWN_SIZE = grammar(r"(?<![\d.])\d{2,3}\s?gb?(?![a-z0-9])")
"""A size that belongs to a card's name: what stands behind the name is another's."""
_SIZE_BEFORE = grammar(r"(?<![\d.])(\d{2,3})\s?gb?\s?的?\s?$")
_BARE = grammar(
    r"(?: sxm\d?| pcie)?[ -](16|24|32|40|48|80|96)(?![a-z0-9.%*])(?! ?(?:x|×|gb?\b|gib|ti|super|cards?|gpus?"
    r"|users?|张))"
)
"""A size without its unit right after the name: "A100 40"."""
_SIZES = grammar(
    r"(?<![a-z0-9.])(\d{1,3})\s?gb?\s?(?:的)?(?:版本?)?\s?(?:跟|和|与|还是|或|对?比|、|/|,"
    r"|(?<![a-z])(?:or|vs\.?|versus|and|against|compared (?:to|with))(?![a-z]))"
    r"\s?(?:the )?(\d{1,3})\s?gb?(?![a-z0-9])"
)
"""Two sizes side by side, of which a card is sold in both."""
_BESIDE = 4
"""The same where only a word like 「改版」 may stand between."""
_OF_MODEL = grammar(r"\s?的?\s?(?:大?模型|权重|(?:of )?(?:models?|weights)(?![a-z]))")
"""What makes an amount of memory a model's, not a card's: 「能跑 48GB 的模型吗」."""
_PLURAL = re.compile(r"([A-Z]\d{2,4})s(?=$|\s?\d{2}\s?G)")
_MODIFIED = grammar(r"[\s的版(,、]*(?:是)?(?:魔改|改装|改|modded|modified|chinese|franken\w*)(?:版|的|卡)?[\s(,、]*")
_NEAR = 8
"""Characters between a card's name and the size or word that narrows it down."""
_TOLERANCE = 0.06
"""H20 "98G" is the 96 GB card; 40 against 48 is another card."""


def gpu_mentions(text: str) -> list[Mention]:
    """Names of cards in the text, Macs among them; numbers that count something else left out."""
    found = []
    for mention in gpu_names().scan(text):
        if _AFTER_NAME.match(text, mention.end) or _BEFORE_NAME.search(text[max(0, mention.start - 8) : mention.start]):
            continue
        if _SUPER.match(text, mention.end) and "super" not in mention.text.lower() and _GEFORCE.search(mention.text):
            continue  # another card than the one of that number: read as unknown where no such card is known
        found.append(mention)
    return mac_mentions(text, [*found, *_listed(text, found)])


def _listed(text: str, found: list[Mention]) -> list[Mention]:
    """Names too short to stand alone, in a list of cards: "P40, T4 or A2"."""
    ends, starts = {one.end for one in found}, {one.start for one in found}
    taken = [(one.start, one.end) for one in found]
    listed = []
    for match in _SHORT.finditer(text):
        beside = (_JOINED_BEFORE.search(text[: match.start()]), _JOINED_AFTER.match(text, match.end()))
        joined = (beside[0] and beside[0].start() in ends) or (beside[1] and beside[1].end() in starts)
        if joined and not any(start < match.end() and match.start() < end for start, end in taken):
            listed.append(Mention("GPU", (_SHORT_NAMES[match[0]],), match.start(), match.end(), match[0], exact=True))
    return listed


def named_gpu(text: Text, hidden: str, mention: Mention, sizes: list[Size]) -> NamedGpu:
    mention = _of_several(text, hidden, mention)
    ids = _narrow(text, mention, sizes)
    ids = _resized(ids, mention, sizes, text.plain)
    counted = count_of(hidden, mention.start, mention.end)
    if counted is not None and len(ids) > 1:
        shares = [size.value_bytes / counted.cards for size in sizes if size.role in {"total", "unclear"}]
        ids = next((kept for share in shares if (kept := _of_size(ids, share))), ids)
    start, end = (
        (min(mention.start, counted.start), max(mention.end, counted.end)) if counted else (mention.start, mention.end)
    )
    return NamedGpu(
        ids[0] if VARIANT.match(text.plain, mention.end) else conventional(ids),
        ids,
        mention.start,
        mention.end,
        counted.cards if counted else None,
        start,
        end,
    )


def _of_several(text: Text, hidden: str, mention: Mention) -> Mention:
    """Several of a card, written with a small s that another card's name has: "4 V100s"; as most clouds let them."""
    written = text.original[text.offsets[mention.start] : text.offsets[mention.end - 1] + 1]
    counted = count_of(hidden, mention.start, mention.end)
    if not _PLURAL.search(written) or counted is None or counted.cards < 2:
        return mention
    try:
        several = tuple(gpu_ids(_PLURAL.sub(r"\1", written)))
    except AdvisorError:
        return mention
    return replace(mention, ids=several) if _let(several) > _let(mention.ids) else mention


@lru_cache(maxsize=64)
def _let(ids: tuple[str, ...]) -> int:
    """How many offers there are of the cards."""
    return sum(offer.gpu in ids for offer in offers())


def _resized(ids: tuple[str, ...], mention: Mention, sizes: list[Size], plain: str) -> tuple[str, ...]:
    """The variant of another size when that size stands right beside the name: 「48G 4090」."""
    beside = next((size for size in sizes if _beside(size, mention, plain) and size.role in {"card", "unclear"}), None)
    own = _OWN_SIZE.search(mention.text) is not None
    if beside is None or own or len(ids) != 1 or _of_size(ids, beside.value_bytes):
        return ids
    stem = re.sub(r"-\d+gb$", "", ids[0])
    return _of_size(tuple(key for key in gpus() if re.sub(r"-\d+gb$", "", key) == stem), beside.value_bytes) or ids


def _beside(size: Size, mention: Mention, plain: str) -> bool:
    """Whether the size is the card's: right beside its name, or with nothing but that it was modified between."""
    between = plain[size.end : mention.start] if size.end <= mention.start else plain[mention.end : size.start]
    return _distance(size, mention) <= _BESIDE or _MODIFIED.fullmatch(between) is not None


def _narrow(text: Text, mention: Mention, sizes: list[Size]) -> tuple[str, ...]:
    """The variants that the size, form factor or "laptop" beside the name leaves."""
    ids = _qualified(text, mention) or _laptops(text, mention)
    if len(ids) < 2:
        return ids
    if (bare := _BARE.match(text.plain, mention.end)) and (kept := _of_size(ids, int(bare[1]) * GIB)):
        ids = kept
    near = sorted(sizes, key=lambda size: _distance(size, mention))
    for size in near:
        if _OF_MODEL.match(text.plain, size.end):
            continue
        same_sentence = text.sentence(size.start) == text.sentence(mention.start)
        if (_distance(size, mention) <= _NEAR or (size.role in {"card", "unclear"} and same_sentence)) and (
            kept := _of_size(ids, size.value_bytes)
        ):
            ids = kept
            break
    if len(ids) > 1 and all(map(is_unified, ids)) and (gib := stated_gib(text.plain, mention.start, mention.end)):
        ids = of_memory(ids, gib)
    for form in _FORMS:
        kept = tuple(key for key in ids if form.replace("-", "") in key.replace("-", ""))
        said = re.search(rf"{form}(?!ink)", text.plain)  # NVLink is no form of a card
        adapted = said and _ADAPTED.search(text.plain[max(0, said.start() - _NEAR) : said.start()])
        if said and not adapted and kept and len(kept) < len(ids):
            ids = kept
    return ids


def _qualified(text: Text, mention: Mention) -> tuple[str, ...]:
    """「A6000 Ada」 is no card's name: either the A6000 or the 6000 Ada is meant."""
    qualifier = VARIANT.match(text.plain, mention.end)
    number = re.search(r"\d{3,4}", mention.text)
    if qualifier is None or number is None:
        return ()
    alike = [
        key for key in gpus() if number[0] in key and qualifier[1] in key.split("-") and gpus()[key].market != "laptop"
    ]
    return (*alike, *mention.ids) if alike else ()


def other_forms(hidden: str, named: list[NamedGpu]) -> list[NamedGpu]:
    """「H100 PCIe 和 SXM」 names two cards."""
    if len({gpu.gpu for gpu in named}) != 1:
        return named
    first = named[0]
    for match in _FORM.finditer(hidden):
        if _ADAPTED.search(hidden[max(0, match.start() - _NEAR) : match.start()]):
            continue
        stem = first.gpu.split("-")[0]
        others = [key for key in gpus() if key.split("-")[0] == stem and match[1] in key and match[1] not in first.gpu]
        if others and any(form in first.gpu for form in _FORMS):
            size = _SIZE_BEFORE.search(hidden[: match.start()])
            sized = [key for key in others if size and key.endswith(f"-{size[1]}gb")]
            chosen = conventional(sized or others)
            return [*named, NamedGpu(chosen, (chosen,), match.start(), match.end(), None, match.start(), match.end())]
    return named


def set_against(hidden: str, other: NamedGpu) -> bool:
    """Whether the form or size that names another card stands right behind the first: then it is a name like that."""
    return _AGAINST_NAME.search(hidden[: other.start]) is not None


def other_market(plain: str, named: list[NamedGpu]) -> list[NamedGpu]:
    """「5070 Ti 笔记本和台式一样吗」 names two cards."""
    match = _DESKTOP.search(plain)
    if match is None or len({gpu.gpu for gpu in named}) != 1 or gpus()[named[0].gpu].market != "laptop":
        return named
    stem = named[0].gpu.partition("-laptop")[0]
    found = [key for key, card in gpus().items() if re.fullmatch(rf"{stem}-\d+gb", key) and card.market != "laptop"]
    if not found:
        return named
    card = conventional(found)
    return [*named, NamedGpu(card, (card,), match.start(), match.end(), None, match.start(), match.end())]


def other_sizes(plain: str, named: list[NamedGpu]) -> list[NamedGpu]:
    """「5060 Ti 8G 跟 16G」 names two cards of one name."""
    if len({gpu.gpu for gpu in named}) != 1:
        return named
    first = named[0]
    stem = re.sub(r"-\d+gb$", "", first.gpu)
    for match in _SIZES.finditer(plain):
        key = f"{stem}-{match[2]}gb"
        if match[1] != match[2] and f"{stem}-{match[1]}gb" in gpus() and key in gpus():
            other = key if key != first.gpu else f"{stem}-{match[1]}gb"
            return [*named, NamedGpu(other, (other,), match.start(2), match.end(), None, match.start(2), match.end())]
    return named


def _laptops(text: Text, mention: Mention) -> tuple[str, ...]:
    around = text.plain[max(0, mention.start - 16) : mention.end + 14]
    if not _LAPTOP.search(around):
        return mention.ids
    stems = {re.sub(r"-\d+gb$", "", key) for key in mention.ids}
    laptops = tuple(
        key for key, gpu in gpus().items() if gpu.market == "laptop" and key.partition("-laptop")[0] in stems
    )
    return laptops or mention.ids


def _of_size(ids: tuple[str, ...], value_bytes: float) -> tuple[str, ...]:
    return tuple(
        key for key in ids if abs(gpus()[key].memory_bytes - value_bytes) <= _TOLERANCE * gpus()[key].memory_bytes
    )


def _distance(size: Size, mention: Mention) -> int:
    return max(size.start - mention.end, mention.start - size.end, 0)


@lru_cache(maxsize=1)
def _instance_table() -> dict[str, tuple[str, int | None]]:
    """Instance type, and family before the dot, → GPU and how many; families whose GPUs differ are left out."""
    table: dict[str, tuple[str, int | None]] = {}
    families: dict[str, set[str]] = {}
    for offer in offers():
        name = offer.instance.lower()
        if offer.gpu is None or not re.fullmatch(r"[a-z][a-z0-9]*(?:[._-][a-z0-9]+)+", name):
            continue
        table[name] = (offer.gpu, int(offer.gpu_count) or 1)
        families.setdefault(name.partition(".")[0], set()).add(offer.gpu)
    for family, cards in families.items():
        if len(cards) == 1 and re.search(r"\d", family) and len(family) > 1:
            table.setdefault(family, (next(iter(cards)), None))
    return table


def instances(plain: str) -> list[NamedGpu]:
    found = []
    bare = _FAMILY.finditer(plain) if _AMAZON.search(plain) else ()
    for match in (*_INSTANCE.finditer(plain), *bare):
        if known := _instance_table().get(match[1]):
            gpu, cards = known
            found.append(NamedGpu(gpu, (gpu,), match.start(), match.end(), cards, match.start(), match.end()))
    return found


def numbered(text: Text, hidden: str, start: int, end: int) -> NamedGpu | None:
    """A GeForce by its number alone: "on a 1080"; None when no such card is known."""
    for series in ("gtx", "rtx"):
        try:
            key = gpu_names().resolve(f"{series} {text.plain[start:end]}")
        except AdvisorError:
            continue
        counted = count_of(hidden, start, end)
        said = (counted.cards, min(start, counted.start), max(end, counted.end)) if counted else (None, start, end)
        return NamedGpu(key, (key,), start, end, *said)
    return None

"""Which of the GPUs named are the asker's (or given for the question), which are only asked about, and how many."""

import re
from dataclasses import dataclass
from itertools import pairwise

from assistant.understand.entities import Entities
from assistant.understand.errors import Pasted
from assistant.understand.in_numbers import of_one_card
from assistant.understand.likened import LIKENED
from assistant.understand.mig import find_instance
from assistant.understand.named import NamedGpu
from assistant.understand.numbers import HAN, count
from assistant.understand.quantities import count_of, free_counts, nodes, per_node, total
from assistant.understand.sizes import box_bytes
from assistant.understand.text import Found, grammar
from kb.catalog import gpus
from kb.units import GIB
from tools.need import GpuCount, Intent

_ASKING: frozenset[Intent] = frozenset({"compare", "spec", "which_to_buy", "cloud_or_buy", "how_many_gpus", "budget"})
"""Intents that are about GPUs one does not have."""
_OWN = grammar(
    r"(?:(?:买|入|收|购|配)了|入手了"
    r"|我这(?:张|块|个|里)?|我(?:们|司|这|自己)?(?:现在|目前|只)?(?:有|是|的|用)|手(?:里|上|头)(?:有"
    r"|的)?|现(?:有|在)(?:用|是)?|已(?:有|经)|只有|仅有|家里|实验室(?:有|的)?|单位(?:有)?|公司(?:有"
    r"|的)?|机器(?:是|有)|(?<![a-z])(?:i have|bought|purchased|picked up"
    r"|i've(?: got)?|i own|own|have|has|got|my|our|we have|(?:am|are|'m|'re|currently|been) using"
    r"|i am on|i'm on|currently|existing|server has|tengo|tenho|j'ai|con una?"
    r"|in stock)(?![a-z]))(?:[^。!?\n.]|\.(?! )){0,14}$"
)
_HOW_MANY = grammar(r"(?<![a-z])how many (?:more |nvidia |used |new ){0,2}$|(?:几|多少)\s?(?:张|块|片|卡)\s?$")
"""What makes the cards behind it those whose number is asked."""
_HOUSE = grammar(r"(?:公司|单位|实验室|家里|机器)(?!有|里有|的)")
"""Houses that may plan to get what they do not have yet, where a price or a purchase is asked about."""
_GIVEN = grammar(r"(?:买|购|配|发|批|分|装|到)了|给了")
"""What makes the cards those that a house has bought or handed out already."""
_AGAINST = grammar(
    r"(?:比(?:不上|不过)?|相比|和|与|跟|还是|或者?|而|换(?:成|到)?|升级到?|想买|买(?!了)|入手(?!了)|租"
    r"|(?<![a-z])(?:than|vs\.?|versus|or|against|instead of|rather than|compared (?:to|with)|rent|buy"
    r"|get|need|purchase|adding|upgrade to|another|price of|buying|getting|purchasing|building))\s?"
    r"(?:(?:my|our|your) (?:own )?|an? |one |the |used |二手|全新"
    r"|一?[张块台])?[^a-z。!?\n]{0,3}$"
)
_HOST_MEMORY = grammar(
    r"\d{1,4}\s?(?:gi?b?|t)\s?(?:的|of )?\s?(?:ddr\d\s?)?(?:system |host |cpu )?(?:内存|主存|ram|memory)(?![a-z])"
    r"\s?(?:和|与|跟|加|,|、|plus|and|with)?\s?"
)
"""Memory that a list has before the card, and what joins it: 「64G 内存和一张」, "64 GB of RAM and two"."""
_BADLY = grammar(
    r"(?:太|很|好|死|巨|有点|特别|越来越|得)慢|慢(?:死|得|了)|卡顿|带不动|不够用?|爆|吃力"
    r"|(?<![a-z])(?:slow\w{0,2}|ooms?|laggy|not enough)(?![a-z])"
)
"""What is said of cards that run something already."""
_SWITCH = grammar(
    r"(?:换(?:成|到|用|个)?|升级?(?:到|成)?|加(?:到|钱上)?|改用|上"
    r"|(?<![a-z])(?:upgrad\w+ to|switch\w* to|mov\w+ to|would|will|could|with))"
    r"\s?(?:an? |the |一?[张块])?[^a-z。!?\n]{0,3}$"
)
_WONDERS = grammar(
    r"s?[^。!?\n]{0,8}?(?:行(?:么|吗|不)|够(?:么|吗|不)|可以(?:么|吗)|能(?:行|跑|训|放|解决|不能)|会不会|呢|怎么样|有用"
    r"|(?<![a-z])(?:enough|help|work|do it|fix|solve|be ok)(?![a-z]))"
)
"""What makes a card the one that is thought of instead of the one where memory ran out."""
_SOMEBODYS = grammar(
    r"(?<![a-z])(?:friend|colleague|co-?worker|buddy|neighbou?r|brother|roommate|boss|somebody|someone)(?:'?s|s')"
    r" (?:single |one |new |old |own |used )?$|(?:朋友|同事|别人|人家|室友|同学|老板)家?的?(?:那|一)?(?:张|块|个)?\s?$"
)
"""Words that make a card somebody else's."""
_ONLY_COMPARED = grammar(
    r"(?:比(?:不上|不过)?|等于|相当于|顶(?:一|得上)?|要求|写的"
    r"|(?:论文|官方|作者|原文|别人|文档|教程|readme)里?(?:上)?(?:都|也)?(?:用|说|给|写|推荐|是|要求?|建议|标)"
    r"(?:的|着|了)?(?:是|要|用|需要|得)?(?:至少|最低)?|(?<![a-z])(?:than|vs\.?"
    r"|versus|against|instead of|rather than|compared (?:to|with)|as much as|to match|match"
    r"|equal(?: to)?|equivalent to|replaces?|beats?|authors? had|they (?:had|use)))\s?(?:an? |one |the "
    r"|\d{1,3} ?[x×*张块]? ?|[一两三四]?[张块])?(?:\d{1,4}(?:\.\d)? ?(?:h|hours?|days?|min) (?:on|with) )?"
    r"(?:\d{2,3}\s?gb?\s?(?:的|版)?)?\s?$"
)
_SUM = grammar(r"\s?(?:\d{1,3}\s?gb?)?\s?(?:\+|加)\s?")
"""What makes a card named twice two of them: "3090 + 3090"."""
_LISTED = grammar(
    r"s?\s?(?:和|与|跟|、|,|\+|&|(?<![a-z])(?:and|plus)(?![a-z])|加|外加|还有)\s?(?:an? |one |一?[张块] ?)?"
)
_ADDED = grammar(
    r"(?:(?<![a-z])(?:add(?:ing)?|plus|throw(?:ing)? in|plug(?:ging)? in|put(?:ting)? in|pair(?:ing)? (?:it )?with)"
    r"|再?(?:加|添|插|配|补)(?:上|个)?)\s?(?:(?:an?|another|my|the|一)\s?)?"
    r"(?:used |old |spare |cheap |second[- ]hand )?(?:[张块] ?)?$"
)
"""What puts a card beside the one in hand: "got a 4070, thinking of adding a 3060"."""
_OR = grammar(r"还是|或者?|(?<![a-z])(?:or|vs\.?|versus|instead)(?![a-z])")
_WORKS = grammar(r"[^a-z。!?\n,]{0,3}(?:上|里)?\s?(?:跑|推理|训|部署|微调|运行|做|is |takes |runs? |running |gets )")
_ONLY_COMPARED_LATER = grammar(r"(?<!性价)(?<!对)比(?!如|较|下)|than(?![a-z])")
_BETWEEN = 14
"""Characters that a maker's name may take."""
_NODE_MOST = 8
"""Cards that one machine usually holds: 「2 机 16 卡」 counts all of them."""
_BIG_CARD = 600 * GIB
_SMALL_CARD = 2 * GIB
_OLD_CARD = 4 * GIB
"""Sizes of old and laptop cards, of which the catalog holds few."""
_PAIR = grammar(r"\s?(?:with (?:an? )?)?(?:nv-?link(?:ed)? )?(?:pair|duo)(?![a-z])")
_PLURAL = grammar(r"s(?![a-z0-9])")
_PLURAL_SAID = grammar(r".?s(?![a-z0-9])")
_MINE = grammar(
    rf"我(?:们)?(?:这边?|手里|手上)?(?:只|就|才)?(?:有|用)?\s?(\d{{1,2}}|{HAN}|俩)\s?(?:张|块|卡)(?!\s?[a-z0-9\ue000])"
    r"|(?<![a-z])i (?:only )?have (one|two|three|four|six|eight|\d{1,2}(?!\d))(?: of (?:them|those|these))?"
    r"(?! ?[a-z\ue000])"
)
"""How many of the cards just spoken of are the asker's: "they say four 4090s, I only have two"."""
_SEVERAL = grammar(r"几张|多张|多块|几块|多卡|several|multiple|(?<![a-z])some(?![a-z])")


_OF_EACH = grammar(
    r"(?<![a-z])(?:on|over|across|with|using) (two|three|four|five|six|eight|[2-8]) (?:such |of the "
    r"|identical )?(?:cards|gpus)"
    r"(?![a-z])|(?:买|上|配|插|用|采购|入手?) ?([2-8]|[两三四五六八]) ?(?:张|块|卡)(?!的)"
    r"|(?<![a-z0-9])(two|three|four|five|six|eight|sixteen|\d{1,3}) (?:of each|each|of either|apiece)(?![a-z])"
    r"|(?:各|分别)(?:用|上|配|买|来|有)? ?(\d{1,3}|[一两三四五六八十]) ?(?:张|块|卡)"
)
"""A number that goes for every card weighed: "A40 or L40S, on two cards", "with 8 of each"."""


@dataclass(frozen=True, slots=True)
class Cards:
    """GPUs by what they are to the asker."""

    owned: tuple[GpuCount, ...]
    asked: tuple[str, ...]
    proposed: tuple[GpuCount, ...]
    """Those asked about with their stated number."""
    owned_names: tuple[NamedGpu, ...]
    asked_names: tuple[NamedGpu, ...]
    gpu_count: int | None
    """Cards without a name."""
    memory_bytes: int | None
    """Memory of a card without a name."""
    memory_start: int = 0
    memory_end: int = 0


def find_cards(entities: Entities, text: str, intent: Intent, pasted: Pasted) -> Cards:
    """Owned and asked GPUs with their counts; cards known only by size or number.

    `text` is the masked text without money, so that 「3 万块」 is no number of cards.
    """
    if part := find_instance(text):
        return _parts(text, part)
    if weighed := of_one_card(text, entities.gpus):
        return Cards((), (weighed[0].gpu,), weighed, (), entities.gpus, None, None)
    if any(gpu.maker for gpu in entities.gpus):
        intent = "compare"  # whose card to take is asked: none is in hand by that
    owned_names = _owned_names(text, _standing(text, entities.gpus), intent)
    asked_names = [gpu for gpu in _standing(text, entities.gpus) if gpu not in owned_names]
    ids = list(dict.fromkeys(gpu.gpu for gpu in owned_names))
    pairs = {gpu.gpu for gpu in owned_names if _is_pair(text, gpu)}
    owned = tuple(
        GpuCount(
            gpu=key,
            count=2 if key in pairs else _count(text, [g for g in owned_names if g.gpu == key], len(ids), pasted),
        )
        for key in ids
    )
    if len(kinds := {gpu.gpu for gpu in entities.gpus}) == 1 and (mine := _MINE.search(text)):
        ids = list(kinds)
        owned = (GpuCount(gpu=ids[0], count=count(mine[1] or mine[2])),)
    asked = tuple(dict.fromkeys(gpu.gpu for gpu in asked_names if gpu.gpu not in ids))
    memory, start, end = (None, 0, 0) if owned else _anonymous(entities, pasted)
    if memory and all(_is_held_against(text, gpu) for gpu in asked_names):
        asked, asked_names = (), []  # what the documents were written on is neither in hand nor on offer
    cards = None if owned else _anonymous_count(text, pasted, start, end, named=bool(asked))
    proposed = tuple(GpuCount(gpu=gpu.gpu, count=gpu.count) for gpu in asked_names if gpu.count and gpu.gpu in asked)
    if len(asked) == 1 and not owned and (nodes(text) or not proposed):
        proposed = _so_many(text, asked_names, pasted) or proposed
    if not proposed and len(asked) > 1 and (each := _OF_EACH.search(text)):
        said = next(filter(None, each.groups()))
        proposed = tuple(GpuCount(gpu=key, count=count(said)) for key in asked)
    proposed = _paired(text, asked_names, proposed)
    return Cards(
        owned, asked, tuple(dict.fromkeys(proposed)), tuple(owned_names), tuple(asked_names), cards, memory, start, end
    )


def added(cards: Cards, text: str) -> bool:
    """Whether a card is put beside another that is in hand, and nothing else weighed."""
    names = cards.owned_names[1:]
    before = (text[max(0, gpu.counted_from - 24) : gpu.counted_from] for gpu in names)
    return len(cards.owned) > 1 and not cards.asked and any(map(_ADDED.search, before)) and not _OR.search(text)


def _is_pair(text: str, gpu: NamedGpu) -> bool:
    """Whether the card is said to be two: "an A6000 pair", "a 3090 with NVLink pair"."""
    return _PAIR.match(text, max(gpu.counted_to, gpu.end)) is not None


def _paired(text: str, names: list[NamedGpu], proposed: tuple[GpuCount, ...]) -> tuple[GpuCount, ...]:
    """The numbers said, with two of a card in the plural that is weighed against a single one of another, and of one
    said to be a pair: "used 3090s or one 5090", "a 3090 NVLink pair"."""
    stated = {card.gpu for card in proposed}
    single = {card.count for card in proposed} == {1}
    pairs = {gpu.gpu for gpu in names if _is_pair(text, gpu)}
    if single:
        pairs |= {gpu.gpu for gpu in names if gpu.gpu not in stated and _PLURAL_SAID.match(text, gpu.end - 1)}
    return (
        *(card for card in proposed if card.gpu not in pairs),
        *(GpuCount(gpu=key, count=2) for key in sorted(pairs)),
    )


def _standing(text: str, named: tuple[NamedGpu, ...]) -> tuple[NamedGpu, ...]:
    """Those that are not dismissed in the same breath: "forget the B200", 「B200 就算了」."""
    gone = {
        gpu.gpu
        for gpu in named
        if _FORGET.search(text[max(0, gpu.counted_from - 24) : gpu.counted_from])
        or _DISMISSED.match(text, max(gpu.counted_to, gpu.end))
    }
    kept = tuple(gpu for gpu in named if gpu.gpu not in gone)
    return kept or named


def _parts(text: str, part: Found[int]) -> Cards:
    """Instances of a card: each is a card of its own with as much memory as its profile says."""
    beside = count_of(text, part.start, part.end)
    return Cards((), (), (), (), (), beside.cards if beside else 1, part.value, part.start, part.end)


def _so_many(text: str, names: list[NamedGpu], pasted: Pasted) -> tuple[GpuCount, ...]:
    """How many of the one card asked about, where machines of several or a number elsewhere say it."""
    several = _count(text, names, 1, pasted)
    return (GpuCount(gpu=names[0].gpu, count=several),) if several > 1 and free_counts(text) else ()


def _owned_names(text: str, named: tuple[NamedGpu, ...], intent: Intent) -> list[NamedGpu]:
    """Those owned; what is listed after one that is owned outright belongs to the same list."""
    owned: list[NamedGpu] = []
    for index, gpu in enumerate(named):
        before = named[index - 1] if index else None
        if before is not None and LIKENED.fullmatch(text[before.end : max(before.end, gpu.counted_from)]):
            continue
        listed = before is not None and _LISTED.fullmatch(
            text[before.counted_to : max(before.counted_to, gpu.counted_from)]
        )
        own_list = (
            listed and before in owned and _OWN.search(text[max(0, named[0].counted_from - 30) : named[0].counted_from])
        )
        joins = bool(owned) and _ADDED.search(text[max(0, gpu.counted_from - 24) : gpu.counted_from]) is not None
        if own_list or _is_owned(text, gpu, intent) or (joins and not _OR.search(text, owned[-1].end)):
            owned.append(gpu)
    return owned


def _is_held_against(text: str, gpu: NamedGpu) -> bool:
    """Whether the card is only what something else is measured by: "the authors used an A100"."""
    before = text[max(0, gpu.counted_from - 30) : gpu.counted_from]
    return _ONLY_COMPARED.search(before) is not None or _SOMEBODYS.search(before) is not None


def _is_owned(text: str, gpu: NamedGpu, intent: Intent) -> bool:
    before = _HOST_MEMORY.sub("", text[max(0, gpu.counted_from - 60) : gpu.counted_from])[-30:]
    if _is_held_against(text, gpu) or (gpu.count is None and _HOW_MANY.search(before)):
        return False
    named = _OWN.search(before)
    planned = named is not None and _HOUSE.match(named[0]) is not None and _GIVEN.search(named[0]) is None
    loosely = planned and intent in _ASKING
    if named and not loosely and not _AGAINST.search(before):
        return True
    if intent == "compare" and _WORKS.match(text, gpu.end) and _ONLY_COMPARED_LATER.search(text, gpu.end):
        return True
    if intent == "oom" and _SWITCH.search(before) and _WONDERS.match(text, gpu.counted_to):
        return False
    if intent not in _ASKING:
        return not _AGAINST.search(before) or intent in {"oom", "power"}
    if gpu.count is not None and _WORKS.match(text, gpu.counted_to) and _BADLY.search(text, gpu.counted_to):
        return True
    return intent == "how_many_gpus" and gpu.count is not None


def _count(text: str, names: list[NamedGpu], kinds: int, pasted: Pasted) -> int:
    """Cards of one kind; one where nothing else is said, two where several are."""
    said = [gpu.count for gpu in names if gpu.count]
    altogether = total(text)
    if kinds == 1 and not any(gpu.whole for gpu in names):
        machines, each = nodes(text), per_node(text)
        if altogether:
            return altogether.cards
        if each and said and _SERVERS_AFTER.match(text, names[0].end):
            return said[0] * each.cards  # "4 H800 servers of 8 cards each"
        if machines and each and not each.explicit and each.cards > _NODE_MOST:
            return each.cards
        if machines and machines.cards > 1 and not each and not said and _fills(text, machines.end, names[0].start):
            return machines.cards
        if machines and machines.cards > 1 and (each or (said and _inside_node(text, names[0]))):
            return machines.cards * (each.cards if each else max(said))
        if not said or max(said) == 1:
            if each:
                return each.cards
            free = [count.cards for count in free_counts(text)]
            if free and (max(free) > 1):
                return next(cards for cards in free if cards > 1)
            if pasted.cards and pasted.cards.value > 1:
                return pasted.cards.value
    if said:
        return said[0] if said[0] > 1 else max(said)
    if len(names) > 1 and pasted.cards and pasted.cards.value > 1:
        return pasted.cards.value
    if kinds == 1 and len(names) > 1 and all(_SUM.fullmatch(text[a.end : b.start]) for a, b in pairwise(names)):
        return len(names)
    several = any(
        _PLURAL.match(text, gpu.end) or _SEVERAL.search(text[max(0, gpu.start - 10) : gpu.start]) for gpu in names
    )
    return 2 if several else 1


def _fills(text: str, start: int, end: int) -> bool:
    """Whether only a maker's name stands between a number of machines and the card in them: 「10 台 GeForce 3060」."""
    return end - start <= _BETWEEN and not re.search(r"[。?!\n,;]", text[start : max(start, end)])


def _inside_node(text: str, gpu: NamedGpu) -> bool:
    """Whether the count is of one machine: "2 nodes of 8×H100", 「两台 8 卡 A100」."""
    before = text[max(0, gpu.counted_from - 14) : gpu.counted_from]
    return bool(_NODE_BEFORE.search(before) or _EACH_AFTER.match(text, max(gpu.counted_to, gpu.end)))


_NODE_BEFORE = grammar(
    r"(?:台(?:机器|服务器|电脑)?|节点|nodes?|servers?|machines?|boxes|pcs|computers|workstations|机)\s?(?:with|of|each|,|:|x|×|\*|的|上"
    r"|各有?|分别|都是|是)?\s?(?:each )?(?:having |with )?$"
)
_SERVERS_AFTER = grammar(r"s?\s?(?:\d{2,3}\s?gb?\s)?(?:nodes|servers|machines|boxes|hosts)(?![a-z])")
_FORGET = grammar(
    r"(?:(?<![a-z])(?:forget|never ?mind|ignore|drop|skip|scratch|rule out|leave out|ditch)(?: about)?"
    r"(?: an?| the| those| that| my)*|别(?:管|看|提|考虑)|(?:先)?不(?:考虑|看|谈|提|说)|抛开|排除)"
    r"\s?(?:那个|那张|什么)?\s?$"
)
_DISMISSED = grammar(
    r"s?\s?(?:就|都|还是|那个)?(?:算了(?!下|一下|笔)|不考虑了?|不要了?|免谈|排除|别提)"
    r"|s? (?:is|are) (?:out|off the table|out of (?:the question|budget|reach)|not an option)(?![a-z])"
)
_EACH_AFTER = grammar(
    r"(?:的)?\s?(?:服务器|机器|主机|整机)|s?\s?(?:\d{2,3}\s?gb?\s)?(?:each|apiece|per (?:node|server|machine|box)"
    r"|(?:nodes|servers|machines|boxes|hosts)(?![a-z]))"
)


def _anonymous(entities: Entities, pasted: Pasted) -> tuple[int | None, int, int]:
    """Memory of a card that has no name."""
    if pasted.card_bytes:
        return pasted.card_bytes.value, pasted.card_bytes.start, pasted.card_bytes.end
    known = [gpus()[gpu.gpu].memory_bytes for gpu in entities.gpus]
    real = {record.memory_bytes for record in gpus().values()}
    for size in entities.sizes:
        if size.role != "card" or not _SMALL_CARD <= size.value_bytes <= _BIG_CARD:
            continue
        if any(abs(size.value_bytes - memory) <= 0.06 * memory for memory in known):
            continue
        small = size.value_bytes <= _OLD_CARD
        if not small and not any(abs(box_bytes(size.value_bytes) - memory) <= 0.03 * memory for memory in real):
            continue  # 「R1 300G 显存就够」 is all cards together
        return box_bytes(size.value_bytes), size.start, size.end
    return None, 0, 0


def _anonymous_count(text: str, pasted: Pasted, start: int, end: int, *, named: bool) -> int | None:
    if end:
        beside = count_of(text, start, end)
        if beside:
            return beside.cards
    if named:
        return None
    machines, each, altogether = nodes(text), per_node(text), total(text)
    if altogether:
        return altogether.cards
    if machines and each:
        whole = not each.explicit and each.cards > _NODE_MOST  # 「4 机 32 卡」 are all of them
        return each.cards if whole else machines.cards * each.cards
    said = [count.cards for count in free_counts(text)] + ([pasted.cards.value] if pasted.cards else [])
    if said:
        return max(said)
    return 1 if end else None

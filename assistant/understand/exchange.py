"""What a follow-up does to the cards: replaces, adds, recounts, resizes, rules out, or only compares."""

from typing import Any

from assistant.understand.conditions import joined
from assistant.understand.further import further
from assistant.understand.intents import STRONG
from assistant.understand.makers import maker, of_maker
from assistant.understand.numbers import number
from assistant.understand.text import grammar
from assistant.understand.turn import Reading
from assistant.understand.workloads import SHOPPING
from assistant.understanding import Asked
from kb.catalog import conventional, gpus
from tools.need import GpuCount

_ADD = grammar(
    r"(?<!内存)(?<!内存 )(?:再|多)?加(?!到)(?:一?[张块个]|上)?|再(?:买|来|插|添)|凑|一起"
    r"|(?<![a-z])(?:add(?:ing)?|(?<!ram )plus"
    r"|another|one more|as well|additional)(?![a-z])"
)
_REPLACE = grammar(
    r"换(?:成|用|到)?|改(?:成|用|为)|用|如果是|要是|其实|(?<![a-z])(?:on|with|swap|replace|switch"
    r"|instead|actually|i (?:have|own|got)|my)(?![a-z])|我(?:是|有|的是|用)|手里|是"
)
_ONLY_ASKED = grammar(
    r"(?:快|慢|强|贵|省)(?:多少|几倍|多大|不少)|(?:faster|slower|better|cheaper) than|how much (?:faster|slower"
    r"|better)|比|还是|租|买|怎么选|选|划算|价格|多少钱|(?<![a-z])(?:vs|versus|or|rent|buy|smarter|better|worth"
    r"|compared?|price|upgrad\w{1,4}"
    r"|would an? [\w .-]{2,24}? (?:bring|gain|give|help|be \w{0,6} ?(?:faster|quicker)))(?![a-z])|升级"
)
_EXCLUDED = grammar(
    r"(?:(?<![a-z])(?<!why )(?:not|isn't|don't (?:have|want|use)|no|without|instead of|rather than|forget|drop|skip)"
    r"|不(?:是|要|用|考虑|想要|想用)|别(?:用|给我)?|除了|排除)\s?(?:the |an? |any |用|那个|那张)?\s?$"
)
_ONLY_VARIANT = grammar(
    r"(?:not|isn't|不是|不要)\s?(?:the |那个|那张)?\s?(\d{1,3})\s?gi?b?(?:\s?(?:one|version|variant|的|版|那))?"
)
_NOT_SIZE = grammar(
    r"(?:not|isn't|不是)\s?(?:the )?(\d{2,3})\s?g?b?\s?[,，]?\s?(?:but |it's |是|而是)?\s?(\d{2,3})(?![\dk%])"
)
"""Another size of the card, its unit unsaid: "not 40, 80"."""
_COUNT_ALONE = grammar(
    r"^\s*(?:and |ok(?:ay)?,? |so |then |actually,? |what |how )?(?:(?:make|let) (?:it|that|us say)"
    r"|if (?:i|we) (?:had|used|use|got|get|rent|rented|buy|bought"
    r"|take)|about|with|try|take|say|on|go (?:with|for)|use|只用|用|换|改成?|上)\s?"
    r"(?P<n>\d{1,2}|one|two|three|four|five|six|eight|ten|sixteen|[一两二三四五六八十])"
    r"(?: of (?:them|those|these)|\s?(?:cards|gpus|张|块|卡))?(?: then| instead| now)?\s?(?:呢|的话)?\s?[?.。!]*\s*$"
)
_COUNT_SAID = grammar(
    r"(?<![0-9a-z一二三四五六七八九十百])(?P<n>\d{1,3}|[一两二三四五六八十])\s?(?:张(?:卡|显卡)?|块(?:卡|显卡))"
    r"(?!\s?(?:[a-z0-9\ue000]|图|照片|图片|票|左右|以内|封顶))"
    r"|(?<![a-z])(?:with|on|using|over|across) (?P<m>\d{1,3}|two|three|four|six|eight|sixteen)"
    r" (?:cards|gpus|of them)(?![a-z])"
    r"|(?<![a-z])(?:what|how much) (?:do|would|will|are|is) (?:the )?(?P<k>\d{1,3}|two|three|four|six|eight|sixteen)"
    r"(?: (?:cards|gpus|of (?:them|those|these)))? (?:cost|draw|need|use|take|run)"
)
"""Another number of them inside a turn that asks: 「8 张要几天」, "with 4 of them"."""
_ORDINALS = {"second": 2, "third": 3, "fourth": 4}
_ORDINAL = grammar(
    r"(?:add|buy|get|plug in|put in) (?:an?|the) (?P<n>second|third|fourth)(?: one| card| gpu)?(?![a-z])"
)
"""One more, by its place: "add a third one"."""
_DOUBLED = grammar(
    r"(?<![a-z])(?:double (?:it|that|the (?:cards|gpus))|twice (?:as many|that))(?![a-z])"
    r"|(?<![户人发算量数文度口])(?:翻倍|加倍|翻一番)"
)
_PAIR = grammar(r"^\s*(?:and |what about |how about |with )?(?:a )?(?:pair|couple)(?: of (?:them|those))?\s*[?.]*\s*$")
_OF_SIZE = grammar(r"\d{1,3}\s?g(?:i?b)?\s?(?:的|版|显存|卡|cards?|ones?|version|models?)(?![a-z])")
"""A size that is said of a card: 「如果是 48G 的呢」."""
_MINE = grammar(
    r"(?<![a-z])(?:i|we)(?:'ve| have| own| got|'ve got| already have)(?![a-z])|(?<![a-z])(?:my|our)(?![a-z])|went with"
    r"|我(?:有|们有|的|手)|手(?:里|上|头)|现有|已(?:有|经买)|买了|家里"
)
"""Words that say whose the cards are."""
_REPLACED = grammar(r"(?<![a-z])(?:instead|swap|replace|forget|my|switch)(?![a-z])|换(?:成|掉)|改(?:成|为)|不要")
"""Words by which a card takes the place of those compared."""
_IN_PLACE = grammar(
    r"(?<![a-z])instead(?! of)(?![a-z])|(?<![a-z])(?:swap|replace)(?![a-z])|换成|换掉|改成|代替"
    r"|^\s*(?:那|如果|要是|改)*\s?租(?![^?]*(?:还是|划算|多少钱|便宜|贵|比))"
)
"""Words by which a card takes the place of those in hand, whatever else is said."""
_SETTLED = grammar(
    r"(?<![a-z])(?:take|go with|settle|instead|only|just|i(?:'ll| will)|my)(?![a-z])|就|只|换|买了|我(?:有|用|的)"
)
"""Words that choose a card and end the comparison."""
_OF_ONE = ("budget", "power", "spec", "what_fits", "concurrency", "context_length", "training_time", "launch_files")
"""What may be asked of one card after several were compared."""
_HELD_AGAINST = grammar(
    r"(?<!性价)比|快|慢|强|哪|更|(?<![a-z])(?:faster|slower|better|cheaper|than|vs|versus|or|compared?)(?![a-z])"
)
_DECIDED = grammar(
    r"(?:算了|那|ok|好)[,，]?\s?就\s?(?:用|买|选|要)?\s?[a-z0-9 -]{2,20}(?:[,，]|吧|了|$)"
    r"|(?:还是|那就|就|决定|干脆)\s?(?:买|选|上|入|要)|(?:买|选)[^,。?]{1,14}(?:吧|好了|算了)"
    r"|(?<![a-z])(?:i(?:'ll| will|'d)|we(?:'ll| will|'d)|let's|let me|let us|going to) (?:just )?(?:buy|take|get|order"
    r"|go (?:with|for)|pick)(?![a-z])"
)
"""Words that settle on a card to buy."""
_SEVERAL = 2
"""What a plural without a number is read as; in a follow-up it is as many as before."""
_NOT_MINE = grammar(
    r"(?:not (?:mine|owned|ours|bought)|don't (?:own|have) (?:it|them|one|any)|haven't (?:bought|got|ordered)"
    r"|(?:i|we)(?:'d| would) (?:buy|have to buy|need to buy)|would have to (?:buy|be bought))"
    r"|(?:还)?没(?:有)?买|(?:还)?没入手|不是(?:已经)?有|手(?:上|里|头)没有?|(?:是)?(?:准备|打算|想)买|要(?:新)?买的"
)
"""Words that take back that the cards are the asker's."""
_ANY_BETTER = grammar(
    r"(?:会不会|是不是|是否)(?:就)?(?:会)?(?:更|要|能)?(?:好|快|强|划算|省)(?:一?点|些|多|很多)?"
    r"|(?<![a-z])(?:would|will) (?:that|it|they|this) be (?:any |much )?(?:better|faster)(?![a-z])"
)
"""Words that wonder whether other cards would do better than those in hand."""
_OF_EACH = grammar(
    r"各(?:买|来|上|用|配)?(?P<n>[一二两三四五六八]|\d{1,2})(?:张|块|卡)"
    r"|(?<![a-z])(?P<en>one|two|three|four|eight|\d) of each(?![a-z])"
)
"""As many of each card compared."""
_MORE_OF_THEM = grammar(r"(?<![a-z])add (?P<n>one|two|three|four|six|\d{1,2})(?: more| of them)?\s?[?.!]*\s*$")
"""More of the cards in hand, not named again: "too slow, add one"."""
ROOMFUL = 64
"""Cards that are spoken of without their name at most, where pictures are counted by the same word."""
_SHORT = 30
"""Characters of a turn that says no more than another amount."""


def card_changes(reading: Reading, previous: Asked, plain: str) -> dict[str, Any]:
    """Owned cards replaced, added to or recounted; cards compared against join those asked about."""
    changes: dict[str, Any] = {}
    excluded = _excluded(reading, plain)
    if excluded is not None:
        return _without(previous, excluded, reading)
    sized = _resized(reading, previous)
    if sized:
        return sized
    stated = {card.gpu: card for card in reading.cards.proposed}
    named = [*reading.cards.owned, *(stated.get(key) or GpuCount(gpu=key) for key in reading.cards.asked)]
    if grown := _grown(reading, previous, named):
        return grown
    if named:
        return _named_cards(reading, previous, plain, named)
    if (each := _OF_EACH.search(plain)) and len(previous.gpus_asked) > 1:
        several = int(number(each["n"] or each["en"]) or 1)
        return {"gpus_proposed": tuple(GpuCount(gpu=key, count=several) for key in previous.gpus_asked)}
    if proposed(previous) and (made := maker(plain)):
        return {"conditions": joined(previous.conditions, (made,))}
    if rivals := of_maker(plain, previous):
        return _against_offer(previous, rivals) if _HELD_AGAINST.search(plain) else _beside(previous, rivals)
    if _NOT_MINE.search(plain) and previous.gpus_owned:
        keys = tuple(card.gpu for card in previous.gpus_owned)
        return {"gpus_owned": (), "gpus_asked": keys, "gpus_proposed": previous.gpus_owned}
    count = reading.cards.gpu_count or _count_alone(plain, previous)
    if previous.amount and count and count > ROOMFUL:
        count = None  # 「300 张呢」 after pictures to make
    if count and len(previous.gpus_owned) == 1:
        card = previous.gpus_owned[0]
        more = (card.count or 1) + count if reading.cards.gpu_count and _ADD.search(plain) else count
        return {"gpus_owned": (card.model_copy(update={"count": more}),), "gpu_count": None, "tensor_parallel": None}
    if count and len(previous.gpus_asked) > 1 and not previous.gpus_owned:
        return {"gpus_proposed": tuple(GpuCount(gpu=key, count=count) for key in previous.gpus_asked)}
    if count and len(previous.gpus_asked) == 1 and not previous.gpus_owned:
        card = GpuCount(gpu=previous.gpus_asked[0], count=count)
        if previous.intent in SHOPPING:
            return {"gpus_proposed": (card,), "gpu_count": None}
        return {"gpus_owned": (card,), "gpus_asked": (), "gpu_count": None}
    return changes


def in_their_place(reading: Reading, previous: Asked) -> dict[str, Any]:
    """Cards that are wondered about in the place of those in hand: both are held against each other."""
    named = [*reading.cards.owned, *reading.cards.proposed]
    kept = previous.gpus_owned
    wonders = _ANY_BETTER.search(reading.text.plain) is not None
    if not (wonders and named and kept) or {card.gpu for card in named} & {card.gpu for card in kept}:
        return {}
    return {"gpus_owned": kept, "gpus_asked": tuple(card.gpu for card in named), "gpus_proposed": tuple(named)}


def proposed(previous: Asked) -> bool:
    """Whether hardware was put forward to order, of no card that the person named."""
    ordered = previous.intent in SHOPPING or (previous.shown is not None and previous.shown.measure == "order")
    return ordered and not (previous.gpus_owned or previous.gpus_asked)


def _beside(previous: Asked, rivals: tuple[GpuCount, ...]) -> dict[str, Any]:
    """Another maker's cards: beside those owned, else instead of those asked about; a comparison takes them in."""
    keys = tuple(card.gpu for card in rivals)
    counted = tuple(card for card in rivals if card.count)
    if previous.intent == "compare" and previous.gpus_asked:
        return {"gpus_asked": (*previous.gpus_asked, *keys), "gpus_proposed": (*previous.gpus_proposed, *counted)}
    return {"gpus_asked": keys, "gpus_proposed": counted, "gpu_count": None, "memory_bytes_per_gpu": None}


def _against_offer(previous: Asked, rivals: tuple[GpuCount, ...]) -> dict[str, Any]:
    """Another maker's cards held against what was put forward, where no card was named: "is a Mac better?"."""
    offered = previous.shown.offered[:1] if previous.shown and proposed(previous) else ()
    if not offered:
        return _beside(previous, rivals)
    cards = (*offered, *rivals)
    return {
        "gpus_asked": tuple(card.gpu for card in cards),
        "gpus_proposed": tuple(card for card in cards if card.count),
    }


def _count_alone(plain: str, previous: Asked) -> int | None:
    """Another number of the cards spoken of, said without naming them: "make it two", 「翻倍」."""
    if _DOUBLED.search(plain):
        before = previous.gpus_owned or previous.gpus_proposed
        return 2 * ((before[0].count if before else previous.gpu_count) or 1)
    if ordinal := _ORDINAL.search(plain):
        return _ORDINALS[ordinal["n"]]
    if _PAIR.match(plain):
        return 2
    if said := _COUNT_ALONE.match(plain):
        return int(number(said["n"]) or 0) or None
    said = None if _ADD.search(plain) else _COUNT_SAID.search(plain)
    return int(number(said["n"] or said["m"] or said["k"]) or 0) or None if said else None


def _grown(reading: Reading, previous: Asked, named: list[GpuCount]) -> dict[str, Any]:
    """More of the one kind of card in hand: "and with a second one?", "what if I add two more 3090s"."""
    more, plain = further(reading.entities.masked), reading.text.plain
    if more is None and previous.intent not in SHOPPING and (said := _MORE_OF_THEM.search(plain)):
        more = int(number(said["n"] or "1") or 1), said.span()
    held = previous.gpus_owned or _spoken_of(previous)
    if more is None or len(held) != 1 or any(one.gpu != held[0].gpu for one in named):
        return {}
    grown = held[0].model_copy(update={"count": (held[0].count or 1) + more[0]})
    if previous.gpus_owned:
        return {"gpus_owned": (grown,), "gpus_proposed": (), "gpu_count": None, "tensor_parallel": None}
    return {"gpus_proposed": (grown,), "gpu_count": None, "tensor_parallel": None}


def _spoken_of(previous: Asked) -> tuple[GpuCount, ...]:
    """The one card asked about, in its stated number."""
    stated = {card.gpu: card for card in previous.gpus_proposed}
    return tuple(stated.get(key) or GpuCount(gpu=key, count=1) for key in previous.gpus_asked)


def _resized(reading: Reading, previous: Asked) -> dict[str, Any]:
    """Another size of the card spoken of: 「80G 的呢」 after "A100 40G", 「24G 呢」 after "16 GB"."""
    said = {"card", "unclear", *(("used",) if _OF_SIZE.search(reading.text.plain) else ())}
    sizes = [
        size.value_bytes
        for size in reading.entities.sizes
        if size.role in said or (size.role == "required" and _another_size(previous, size.value_bytes))
    ]
    if reading.entities.gpus or not sizes or len(reading.text.plain) > _SHORT:
        return {}
    count = reading.cards.gpu_count if reading.cards.gpu_count != 1 else None
    if previous.gpus_owned:
        cards = _variant(previous, sizes[0]) or previous.gpus_owned
        if count and len(cards) == 1:
            cards = (cards[0].model_copy(update={"count": count}),)
        return {"gpus_owned": cards, "memory_bytes_per_gpu": None, "gpu_count": None}
    if len(previous.gpus_asked) == 1 and (other := _variant(previous, sizes[0])):
        return {
            "gpus_asked": (other[0].gpu,),
            "gpus_proposed": other if previous.gpus_proposed else (),
            "gpu_count": None,
        }
    return {"memory_bytes_per_gpu": sizes[0], "gpu_count": count or previous.gpu_count or 1}


def _another_size(previous: Asked, memory_bytes: int) -> bool:
    """Whether the one card spoken of is made in this size, too: 「我说的是 141G 的」 after "H20"."""
    cards = previous.gpus_owned or _spoken_of(previous)
    return len(cards) == 1 and cards[0].gpu in gpus() and _variant(previous, memory_bytes) is not None


def _named_cards(reading: Reading, previous: Asked, plain: str, named: list[GpuCount]) -> dict[str, Any]:
    if _about_one(reading, previous, named):
        card = named[0]
        mine = tuple(one for one in previous.gpus_owned if one.gpu == card.gpu)
        counted = tuple(one for one in (card, *previous.gpus_proposed) if one.gpu == card.gpu and one.count)[:1]
        apart = {
            "gpus_owned": mine,
            "gpus_asked": () if mine else (card.gpu,),
            "gpus_proposed": () if mine else counted,
        }
        return apart | {"memory_bytes_per_gpu": None, "gpu_count": None}
    if _DECIDED.search(plain) and len(named) == 1:
        counted = tuple(card for card in named if card.count)
        return {"gpus_owned": (), "gpus_asked": (named[0].gpu,), "gpus_proposed": counted, "gpu_count": None}
    kept = previous.gpus_owned
    others = len(previous.gpus_asked) > (0 if kept else 1)
    if previous.intent == "compare" and others and not _SETTLED.search(plain) and not _REPLACED.search(plain):
        return _joined(previous, named)
    if kept and _ADD.search(plain) and not _ONLY_ASKED.search(plain) and not _IN_PLACE.search(plain):
        merged = {card.gpu: card for card in kept}
        for card in named:
            before = merged[card.gpu].count if card.gpu in merged else 0
            merged[card.gpu] = GpuCount(gpu=card.gpu, count=(before or 0) + (card.count or 1))
        return {"gpus_owned": tuple(merged.values()), "memory_bytes_per_gpu": None, "gpu_count": None}
    against = kept or previous.gpus_asked or not reading.cards.owned_names
    if _ONLY_ASKED.search(plain) is not None and against and not (kept and _IN_PLACE.search(plain)):
        asked = tuple(dict.fromkeys([*previous.gpus_asked, *(card.gpu for card in named)]))
        return {"gpus_asked": tuple(key for key in asked if key not in {card.gpu for card in kept})}
    said = {gpu.gpu: gpu.count for gpu in reading.entities.gpus}
    counts = {card.gpu: card.count for card in (*previous.gpus_proposed, *kept)}
    own = _MINE.search(plain) is not None
    if not kept and previous.gpus_asked and not own and not any(said.values()):
        asked = tuple(card.gpu for card in named)
        replaces = previous.intent != "compare" and not _ADD.search(plain)
        return {
            "gpus_asked": asked
            if replaces or _REPLACE.search(plain)
            else tuple(dict.fromkeys([*previous.gpus_asked, *asked]))
        }
    count = next(iter(counts.values())) if len(counts) == 1 else previous.gpu_count
    cards = tuple(
        card.model_copy(update={"count": _recounted(card, said.get(card.gpu), counts.get(card.gpu, count))})
        for card in named
    )
    if "how_many_gpus" in (reading.intent, previous.intent) and not kept and not own and not any(said.values()):
        return {"gpus_asked": tuple(card.gpu for card in cards), "gpus_proposed": ()}
    if previous.intent in SHOPPING and not kept and not own:
        return {"gpus_asked": tuple(card.gpu for card in cards), "gpus_proposed": cards}
    return {"gpus_owned": cards, "gpus_asked": (), "memory_bytes_per_gpu": None, "gpu_count": None}


def _about_one(reading: Reading, previous: Asked, named: list[GpuCount]) -> bool:
    """Whether something else is asked of just one of the cards compared: its price, its power supply."""
    compared = {*(card.gpu for card in previous.gpus_owned), *previous.gpus_asked}
    asked = {intent for intent, (weight, _) in reading.weights.items() if weight >= STRONG}
    if previous.intent != "compare" or len(compared) < 2 or len(named) != 1 or named[0].gpu not in compared:
        return False
    return bool(asked & set(_OF_ONE)) and not asked & {"compare"} and not _HELD_AGAINST.search(reading.text.plain)


def _joined(previous: Asked, named: list[GpuCount]) -> dict[str, Any]:
    """Cards that join those compared, or are compared in another number."""
    said = {card.gpu: card for card in named}
    stated = {card.gpu: card for card in previous.gpus_proposed} | said
    owned = tuple(said.get(card.gpu, card) for card in previous.gpus_owned)
    asked = dict.fromkeys([*previous.gpus_asked, *said])
    apart = [key for key in asked if key not in {card.gpu for card in owned}]
    proposed = tuple(card for key, card in stated.items() if key in apart and card.count)
    return {"gpus_owned": owned, "gpus_asked": tuple(apart), "gpus_proposed": proposed}


def _recounted(card: GpuCount, said: int | None, before: int | None) -> int:
    """As many as said, else as read from the rest of the turn where that is more than a plural, else as before."""
    read = card.count or 1
    return (max(said, read) if said else None) or (read if read > _SEVERAL else before) or read


def _variant(previous: Asked, memory_bytes: int) -> tuple[GpuCount, ...] | None:
    """The same card in another size: 「显存是 12G」 after "4070", 「80G 的」 after "A100"."""
    card = (previous.gpus_owned or _spoken_of(previous))[0]
    base = (
        card.gpu.split("-")[0] if not card.gpu.startswith(("rtx", "gtx", "rx")) else "-".join(card.gpu.split("-")[:2])
    )
    alike = [
        key
        for key, g in gpus().items()
        if key.split("-")[: base.count("-") + 1] == base.split("-")
        and abs(g.memory_bytes - memory_bytes) <= 0.06 * memory_bytes
    ]
    if not alike or card.gpu in alike:
        return None
    return (card.model_copy(update={"gpu": conventional(alike)}), *previous.gpus_owned[1:])


def _excluded(reading: Reading, plain: str) -> int | str | None:
    """A card or a size of card that is ruled out."""
    if match := _ONLY_VARIANT.search(plain) or _NOT_SIZE.search(plain):
        return int(match[1])
    for gpu in reading.entities.gpus:
        if _EXCLUDED.search(plain[max(0, gpu.start - 20) : gpu.start]) and len(reading.entities.gpus) == 1:
            return gpu.gpu
    return None


def _without(previous: Asked, excluded: int | str, reading: Reading) -> dict[str, Any]:
    """Leave a card out, or take its other size."""
    if isinstance(excluded, str):
        return {
            "gpus_owned": tuple(card for card in previous.gpus_owned if card.gpu != excluded),
            "gpus_asked": tuple(key for key in previous.gpus_asked if key != excluded),
        }
    owned = tuple(card.model_copy(update={"gpu": _other_size(card.gpu, excluded)}) for card in previous.gpus_owned)
    return {
        "gpus_owned": owned,
        "gpus_asked": tuple(_other_size(key, excluded) for key in previous.gpus_asked),
        "memory_bytes_per_gpu": None,
    }


def _other_size(key: str, excluded_gib: int) -> str:
    if f"{excluded_gib}gb" not in key:
        return key
    stem = key.replace(f"-{excluded_gib}gb", "")
    others = [
        other
        for other in gpus()
        if other != key
        and (other == stem or other.startswith(f"{stem}-"))
        and gpus()[other].market == gpus()[key].market
    ]
    return others[0] if others else key

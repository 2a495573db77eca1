"""How a turn changes what the conversation already said: follow-ups, corrections, changes of topic."""

from typing import Any, Literal

from assistant.understand.budget import bare_amount
from assistant.understand.exchange import card_changes
from assistant.understand.intents import STRONG
from assistant.understand.model_mentions import sibling_of
from assistant.understand.numbers import number
from assistant.understand.parts import Parts, find_parts, main_need
from assistant.understand.place import NO_CLOUD
from assistant.understand.reading import TRAINING, Reading, read
from assistant.understand.scope import asks_something_else, dictated
from assistant.understand.text import grammar
from assistant.understand.workloads import SHOPPING, find_workloads
from assistant.understanding import Understanding, Workload
from kb.catalog import models
from tools.need import GpuCount, Need

Command = Literal["why", "arithmetic", "cheaper", "sources"]
_COMMANDS: tuple[tuple[Command, str], ...] = (
    ("arithmetic", (
        r"(?:show|explain|give|see)(?: me)? (?:the |your )?(?:arithmetic|math|maths|calculations?|workings?"
        r"|formula|derivation|numbers|steps)|怎么算(?:的|出来)|算(?:一遍|给我看|式)|计算过程|推导|公式"
        r"|列(?:一下)?算式|how did you (?:calculate|compute|get|arrive)|(?:walk me through|break) (?:it "
        r"|the )?(?:down|numbers|calculation)"
    )),
    ("sources", (
        r"^\W*(?:the |your |any )?(?:sources?|references?|citations?)\W*$|(?:what|which|show|give"
        r"|cite)(?: me)? ?(?:are |is )?(?:the |your )?(?:sources?|references?|citations?)|出处|来源"
        r"|依据(?:是什么|呢|在哪)|参考(?:资料|文献)|according to (?:what|whom|which)|where (?:does"
        r"|did) (?:that|this|it) come from|有(?:什么)?依据"
    )),
    ("cheaper", (
        r"(?<!which is )(?<!which one is )(?<!which one's )(?<!one )cheaper(?! (?:to rent|per|an hour))"
        r"|less expensive|lower[- ]cost|(?:more )?便宜(?:点|一点|些|的)?(?!.{0,4}吗.{4})|省钱"
        r"|更?低(?:价|成本)|budget option|平替|太贵|too (?:expensive|pricey|much money)|不能再低"
    )),
    ("why", (
        r"^\s*(?:but |and |so |ok |那)?(?:why|how come|为什么|为啥|凭什么|咋回事|原因)(?:\s?(?:is that|not"
        r"|so|呢|这样|会这样|不行|不够|那么多|so much|that much|that many))?\s*[?。!]*\s*$|why(?: is that"
        r"|'s that| not| so (?:much|many|slow|expensive))|为(?:什么|啥)(?:会)?(?:这么|要这么|需要这么|不行"
        r"|不够|不能)"
    )),
)  # fmt: skip
_COMPILED = tuple((command, grammar(rule)) for command, rule in _COMMANDS)
_CUE = grammar(
    r"^\s*(?:and|but|so|ok(?:ay)?|then|also|plus|what about|how about|what if|if|actually|no|not"
    r"|instead|with|without|same|again|now|would|or|sorry|i mean\w{0,2}|make (?:it|that)|in that case"
    r"|(?:mostly|mainly|under|default|case is|it's|that's|the same)|让|那|如果|要是|换|改|加|再|还|其实"
    r"|不(?:要|是|用|对|行)|只(?:用|要|能)|呢|另外|假如|而且|但|可|主要|我(?:是|打算|有|用|说的是|的)"
    r"|显存是|预算|没装|二手|用)"
    r"|呢\s*[?。]*\s*$|instead\s*[?.]*\s*$|换成|改成|如果(?:是|用|换|加|改)|what if|how about"
    r"|what about|那(?:么)?(?:我|换|用|如果|和|要|就|这)|(?<![a-z])too\s*\?|(?:这|那)(?:个|张|种|样|台"
    r"|套)|(?<![a-z])(?:it|that|those|them|this)(?![a-z])|它|上面|刚才|前面|above|previous|earlier"
)
_CLOUD = grammar(
    r"(?:in|on|via|from) the cloud|cloud only|rent(?:ing|ed)? instead|only rent|if i rent|rent it"
    r"|租(?:呢|的话|[一1]?台|用)|云上(?:呢)?|上云|用云|只租|改(?:成)?租|换(?:成)?云"
)
_BUY_INSTEAD = grammar(
    r"(?:换成|改成|改|换)(?:自己)?买|买的话|^那?(?:自己)?买呢|buy(?:ing)? instead|if (?:i|we) (?:buy|bought)|and to buy"
)
_RENTED = grammar(r"租(?!.{0,6}(?:出|金收入))|(?<![a-z])rent(?:al|ing)?(?![a-z])")
_SPENT = grammar(
    r"(?:had|spend|raise it to|stretch to) (?:about |around )?(?P<n>\d{1,3}(?:\.\d)?)(?P<k>k)(?![a-z0-9])"
    r"(?! ?(?:tokens?|context|ctx|samples?|rows|users?|prompts?))"
)
"""Money of which only the figure is said, where a budget was spoken of before: "what if we had 40k"."""
_OWN = grammar(r"买|购|自建|自己?攒|(?<![a-z])(?:buy|own|purchase)(?:ing)?(?![a-z])")
"""Words of buying: beside them renting is held against it, not asked for alone."""
_AGAINST_BUYING = grammar(r"还是|划算|(?<![a-z])(?:or|vs|versus)(?![a-z])|worth|回本|break-?even")
_LARGER = 12
"""Words from which a turn without any cue reads as a question of its own."""
_STATED = {"power", "interconnect", "compatibility", "spec", "can_it_run", "min_vram"}
"""Intents whose words also state circumstances: "the case has a 650 W power supply"."""
_QUESTION = grammar(
    r"[?吗呢么嘛]|多少|多大|几|够|能|怎|哪|什么|啥|是不是|行不"
    r"|(?<![a-z])(?:how|what|which|why|enough)(?![a-z])|(?:^|[,.;] )(?:and |but |so )?"
    r"(?:can|could|does|do|is|are|will|would|should)(?![a-z])"
)
_SPECIAL = {"diffusion", "speech", "vision", "embedding", "rendering"}
_LANGUAGE_MODELS = grammar(r"(?<![a-z])(?:llms?|language models?)(?![a-z])|大(?:语言)?模型")
_HOW_LONG = grammar(r"how long|how many (?:days|hours)|多久|几天|多长时间|几个小时")
_TOPIC = ("model", "model_text", "params")


def fold(original: str, previous: Need | None) -> Understanding:
    """The Understanding of the turn, within the conversation."""
    reading = _read(original, previous)
    command = _command(reading) if previous is not None else None
    if previous is None or (command is None and _new_topic(reading, previous)):
        fresh = reading if previous is None else _read(original, None)
        return _understanding(fresh, _fresh(fresh), follow_up=False, command=_command(fresh))
    changes = _changes(reading, previous, reading.text.plain)
    need = previous.model_copy(update={**changes, "intent": _intent(reading, previous, command)})
    sized = bool(previous.model or previous.params or previous.gpus_owned or previous.gpus_asked)
    return _understanding(reading, need, follow_up=True, command=command, sized_before=sized)


def _read(original: str, previous: Need | None) -> Reading:
    reading = read(original, previous)
    plain = reading.text.plain
    only_rent = reading.intent == "cloud_or_buy" and _RENTED.search(plain) and not _OWN.search(plain)
    if acquisition := _acquisition(plain) or ("rent" if only_rent and not _AGAINST_BUYING.search(plain) else None):
        reading.slots["acquisition"] = acquisition
    return reading


def _fresh(reading: Reading) -> Need:
    return Need(**{**reading.slots, "intent": reading.intent})


def _understanding(
    reading: Reading, need: Need, *, follow_up: bool, command: Command | None, sized_before: bool = False
) -> Understanding:
    outside = reading.out_of_scope and not (
        follow_up and (command or reading.slots or len(reading.text.plain) < 40) and not _hostile(reading)
    )
    works = () if follow_up and sized_before else find_workloads(reading, reading.text.original, need.intent)
    if works:
        need = _of_the_main(works[0], need)
    parts = Parts() if works or sized_before else find_parts(reading, need.intent)
    need = main_need(parts, need)
    return Understanding(
        language=reading.language,
        workloads=works,
        beside=parts.beside,
        apart=parts.apart,
        need=Need.model_validate(need.model_dump()),
        text=reading.text.original,
        spans=tuple(reading.spans),
        ambiguities=reading.ambiguities,
        follow_up=follow_up,
        asks=reading.asks,
        command=command,
        out_of_scope=outside,
        error_text=reading.pasted.error_text,
        dictated=dictated(reading.entities.masked),
    )


def _of_the_main(work: Workload, need: Need) -> Need:
    """The need of the main work, to be met with hardware for all."""
    known = models().get(work.model or "")
    task = work.task if known is None or known.kind in {"llm", "vlm"} else need.task
    size = {"model": known.id if known else None, "params": known.params if known else work.params}
    changes: dict[str, Any] = size | {"weight_format": work.weight_format}
    intent = need.intent if need.intent in SHOPPING else "budget"
    return need.model_copy(update=changes | {"task": task, "model_text": None, "intent": intent})


def _hostile(reading: Reading) -> bool:
    return asks_something_else(reading.entities.masked)


def _command(reading: Reading) -> Command | None:
    """A turn about the last answer itself; one that states new slots is a question."""
    stated = set(reading.slots) - {"acquisition", "task", "country", "matter"}
    if stated or len(reading.text.plain) > 80:
        return None
    return next((command for command, rule in _COMPILED if rule.search(reading.text.plain)), None)


def _new_topic(reading: Reading, previous: Need) -> bool:
    """A complete question about another model or another kind of work, without a word that refers back."""
    slots, plain = reading.slots, reading.text.plain
    if reading.out_of_scope and not slots:
        return False
    if _CUE.search(plain):
        return False
    other_model = bool(slots.get("model") and previous.model and slots["model"] != previous.model)
    other_size = bool(
        slots.get("params") and previous.params and not slots.get("model") and slots["params"] != previous.params
    )
    other_task = bool(slots.get("task") and previous.task and slots["task"] != previous.task and reading.task_said)
    cards = bool(reading.cards.owned or reading.cards.asked or reading.cards.memory_bytes)
    complete = len(plain.split()) >= _LARGER or len(plain) >= 2 * _LARGER or cards
    if not (slots.get("model") or slots.get("model_text") or slots.get("params") or cards or slots.get("task")):
        return False
    if (other_model or other_size) and complete:
        return True
    if cards and (slots.get("model") or slots.get("params")) and (previous.model or previous.params):
        return True
    return (
        other_task
        and complete
        and not slots.get("model")
        and bool(slots.get("task") in {"diffusion", "speech", "vision", "rendering", "embedding"})
    )


def _changes(reading: Reading, previous: Need, plain: str) -> dict[str, Any]:
    changes = {
        slot: value
        for slot, value in reading.slots.items()
        if slot not in {"gpus_owned", "gpus_asked", "gpus_proposed"}
    }
    if "task" in changes and not _task_changes(reading, previous):
        del changes["task"]
    if any(slot in changes for slot in _TOPIC):
        changes |= _model_change(reading, previous)
    elif previous.task in _SPECIAL and _LANGUAGE_MODELS.search(plain):
        changes |= {"task": "inference", "model": None, "model_text": None, "params": None}
    changes |= card_changes(reading, previous, plain)
    if "gpus_asked" in changes:
        stated = {card.gpu: card for card in (*previous.gpus_proposed, *reading.cards.proposed)}
        changes["gpus_proposed"] = tuple(card for key, card in stated.items() if key in changes["gpus_asked"])
    changes |= _money_changes(reading, previous, changes)
    task = changes.get("task", previous.task)
    if changes.get("weight_format") in {"int4", "nf4"} and task == "lora":
        changes["task"] = "qlora"
    if "context_tokens" in changes and task in TRAINING:
        changes["sequence_tokens"] = changes["context_tokens"]
    if previous.budget and "budget" not in changes and (amount := bare_amount(plain)):
        changes["budget"] = previous.budget.model_copy(update={"amount": amount})
    if previous.budget and "budget" not in changes and (spent := _SPENT.search(plain)):
        amount = (number(spent["n"]) or 0) * (1000 if spent["k"] else 1)
        changes["budget"] = previous.budget.model_copy(update={"amount": amount or previous.budget.amount})
        changes = {slot: value for slot, value in changes.items() if slot not in {"context_tokens", "sequence_tokens"}}
    budget = changes.get("budget", previous.budget)
    if budget and "acquisition" in changes:
        changes["budget"] = budget.model_copy(update={"mode": changes["acquisition"]})
    if "budget" in changes and previous.budget and "$" not in plain:
        changes["budget"] = changes["budget"].model_copy(
            update={"period": changes["budget"].period or previous.budget.period}
        )
    return changes


_BARE_COUNT = grammar(
    r"^\s*(?:and |ok |what about |how about |with |if |那|换成?|用|要是)*\s?(?P<n>[1-9]\d{0,3})\s?(?:of them|cards?"
    r"|gpus?|张|块|卡)?"
    r"\s?(?:呢|的话|instead)?\s?[?.。]*\s*$"
)
"""Another number of the cards spoken of, and nothing else."""
_OF_MONEY = {"budget", "cloud_or_buy", "which_to_buy", "power", "spec", "training_time"}
"""Intents beside which a price that was asked for stays asked for."""


def _money_changes(reading: Reading, previous: Need, changes: dict[str, Any]) -> dict[str, Any]:
    """A price asked for before is dropped by another question; cards that are priced stay those asked about."""
    strong = {intent for intent, (weight, _) in reading.weights.items() if weight >= STRONG}
    matter = changes.get("matter") or (previous.matter if not strong or strong & _OF_MONEY else None)
    priced: dict[str, Any] = {"matter": matter}
    cards = changes.get("gpus_owned")
    if matter and cards and not previous.gpus_owned and not reading.cards.owned:
        priced |= {"gpus_owned": (), "gpus_asked": tuple(card.gpu for card in cards), "gpus_proposed": cards}
    before, asked = previous.gpus_proposed, changes.get("gpus_asked") or previous.gpus_asked
    bare = _BARE_COUNT.match(reading.text.plain)
    if matter and len(before) == 1 and len(asked) == 1 and not previous.gpus_owned and not cards:
        stated = next((card.count for card in reading.cards.proposed if card.gpu == asked[0]), None)
        count = int(bare["n"]) if bare else stated or before[0].count
        priced["gpus_proposed"] = (GpuCount(gpu=asked[0], count=count),)
    return priced


def _task_changes(reading: Reading, previous: Need) -> bool:
    """A task said in words replaces, as does that of another model; one that is merely implied does not."""
    if reading.slots.get("model") and reading.slots["model"] != previous.model and reading.slots["task"] != "general":
        return True
    if previous.task in {None, "general"}:
        return reading.slots["task"] != "general" or previous.task is None
    if reading.slots["task"] == "general":
        return False
    if reading.task_said:
        return not (previous.task in _SPECIAL and reading.slots["task"] in {"lora", "full_finetune", "inference"})
    serving = any(word in reading.text.plain for word in ("推理", "部署", "inference", "serve", "serving"))
    return serving and previous.task not in _SPECIAL


def _model_change(reading: Reading, previous: Need) -> dict[str, Any]:
    """A new name replaces the model; a bare size picks the sibling of that size, if there is one."""
    slots = reading.slots
    if slots.get("model") or slots.get("model_text"):
        return {slot: slots.get(slot) for slot in _TOPIC}
    sibling = sibling_of(previous.model, slots["params"]) if previous.model in models() else None
    if sibling:
        return {"model": sibling, "model_text": previous.model_text, "params": models()[sibling].params}
    return {"model": None, "model_text": None, "params": slots["params"]}


def _acquisition(plain: str) -> Literal["buy", "rent"] | None:
    if NO_CLOUD.search(plain) or _BUY_INSTEAD.search(plain):
        return "buy"
    return "rent" if _CLOUD.search(plain) and not _OWN.search(plain) else None


def _intent(reading: Reading, previous: Need, command: Command | None) -> Any:
    """What the turn asks; a turn that only changes slots asks the same again."""
    if command in {"why", "arithmetic", "sources"}:
        return previous.intent
    if command == "cheaper":
        return previous.intent if previous.intent in {"which_to_buy", "budget", "cloud_or_buy"} else "which_to_buy"
    if reading.slots.get("acquisition") == "rent":
        return "cloud_or_buy"
    if reading.slots.get("acquisition") == "buy" and previous.acquisition == "rent":
        return "which_to_buy"
    if reading.intent == "context_length" and "context_tokens" in reading.slots and previous.intent:
        return previous.intent
    if reading.intent == "concurrency" and {"users", "concurrent_sequences"} & set(reading.slots) and previous.intent:
        return previous.intent
    if previous.intent == "cloud_or_buy" and "hours_per_month" in reading.slots:
        return previous.intent
    if previous.task in TRAINING and _HOW_LONG.search(reading.text.plain):
        return "training_time"
    asks = "matter" in reading.slots or _QUESTION.search(reading.text.plain)
    if reading.intent in _STATED and previous.intent and not asks:
        return previous.intent
    strong = [intent for intent, (weight, _) in reading.weights.items() if weight >= STRONG]
    if reading.intent in strong and reading.intent not in {"guidance", "other"}:
        return reading.intent
    return previous.intent or reading.intent

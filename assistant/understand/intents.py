"""What is asked: rules with weights; the heaviest intent leads, other strong ones follow."""

from collections import defaultdict
from dataclasses import dataclass

from assistant.understand.intent_rules import RULES
from assistant.understand.intent_shapes import SHAPES
from assistant.understand.intent_tongues import TONGUES
from assistant.understand.text import grammar
from tools.need import Intent

STRONG = 3.0
"""Weight from which an intent is asked in its own right."""
LEAST = 2.0
"""Weight below which words only lean somewhere, and the rest of the question decides."""
FAULT = 9.0
"""Weight of words that only the report of a fault has: the cards and links it names are not asked about beside it."""
_COMPILED = tuple((intent, weight, grammar(rule)) for intent, weight, rule in RULES)
_SHAPES = tuple((intent, weight, grammar(rule)) for intent, weight, rule in (*SHAPES, *TONGUES))
_ORDER: tuple[Intent, ...] = (
    "launch_files", "cloud_or_buy", "what_fits", "how_many_gpus", "power", "oom", "training_time", "interconnect",
    "compatibility", "concurrency", "context_length", "compare", "min_vram", "spec", "budget", "can_it_run",
    "which_to_buy", "speed", "guidance",
)  # fmt: skip
"""Of equally heavy intents, the more particular one."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What else was understood, as far as it decides what is asked."""

    owned_or_named: int
    """GPUs named."""
    sized: bool
    """Whether a model or a parameter count is stated."""
    workload: bool
    """Whether anything says what is to be run: a model, a size, a kind of work."""
    training: bool
    has_budget: bool
    has_context: bool
    long_context: bool
    """A context so long that it decides the hardware."""
    has_concurrency: bool
    provider: bool
    error: bool
    oom: bool
    formats: int
    """Different weight formats named."""
    methods: int
    """Different ways to train, to serve or to spread a model named: ZeRO-2, tensor parallelism, vLLM."""
    sized_before: bool
    """Whether it is only the conversation that knows the model."""
    card_known: bool
    """A GPU is named or a card known by its memory."""


def weigh(text: str, facts: Facts) -> dict[Intent, tuple[float, int]]:
    """Weight of each intent and where it is first said, in the masked text."""
    weights: dict[Intent, float] = defaultdict(float)
    first: dict[Intent, int] = {}
    for intent, weight, rule in _COMPILED:
        if match := rule.search(text):
            weights[intent] += weight
            first[intent] = min(first.get(intent, match.start()), match.start())
    for intent, weight, rule in _SHAPES:
        if weights.get(intent, 0.0) < weight and (match := rule.search(text)):
            weights[intent] = weight
            first[intent] = min(first.get(intent, match.start()), match.start())
    if facts.owned_or_named > 1 and weights.get("compare", 0.0) >= STRONG and not _FEEDS.search(text):
        weights["power"] = weights.get("power", 0.0) - STATED_SUPPLY
    if (
        facts.card_known
        and facts.sized
        and not facts.training
        and _LINKED.search(text)
        and not _LINK_ASKED.search(text)
    ):
        weights["can_it_run"] = max(weights.get("can_it_run", 0.0), weights["interconnect"] + ABOVE)
        first.setdefault("can_it_run", 0)
    for intent, extra in _context_of(facts, weights).items():
        if intent in weights or extra > STRONG:
            weights[intent] = weights.get(intent, 0) + extra
            first.setdefault(intent, len(text))
    return {intent: (round(weight, 2), first[intent]) for intent, weight in weights.items() if weight > 0}


ABOVE = 0.5
"""Weight by which running comes before the link that the cards are said to have."""
_LINKED = grammar(
    r"nv-?link(?:ed)?\s?(?:互联|互连|桥接?器?|连接|版本?|bridges?)?(?:的|起来|上)?[,;、)\s]{0,3}"
    r"(?:来|去|我想|想|to |for |and |i want to )?"
    r"(?:跑|运行|部署|推理|run(?:s|ning)?(?![a-z])|serv(?:e|ing)(?![a-z])|host(?:ing)?(?![a-z])|inference)"
)
"""Cards described by their link before what they are to run."""
_LINK_ASKED = grammar(
    r"(?:要不要|用不用|需不需要|需要|必须|必要|值得|作用|意义|影响|区别|没有?|无|不带|有无"
    r"|(?<![a-z])(?:do|does|need|worth|without|no|is|vs))[^。?!\n]{0,10}nv-?link"
    r"|nv-?link[^。?!\n]{0,40}?(?:有用|快多少|慢多少|快|慢|区别|影响|必要|值得|提升|瓶颈|差别|差多少|意义"
    r"|(?<![a-z])(?:matter|worth|help|need|faster|slower|difference|essential|bottleneck|vs))"
)
"""Words that ask about the link itself."""
STATED_SUPPLY = 3.5
"""Weight that words about power lose where cards are weighed against each other: the supply is what there is."""
_FEEDS = grammar(
    r"(?:够|带|扛|撑|顶|支持|负担|供)(?:得?[动住起了]|不够|吗|么|用)|要多大|多大的?(?:电源|功率)|功耗|耗电|省电|电费|发热|散热怎么|温度"
    r"|(?<![a-z])(?:enough|handle|feed|carry|cope|need|draws?|trip\w{0,4}|reboot\w{0,3}|hotter|cooler|quieter|efficien\w{1,3}"
    r"|electricity|per watt|watts? (?:does|do|will)|what psu|which psu|how many watts"
    r"|power (?:bill|draw|limit|consumption))"
    r"(?![a-z])"
)
"""Words that ask what power the cards take or whether a supply feeds them."""
_SETTINGS: tuple[Intent, ...] = ("context_length", "concurrency")
"""Mentioned as a setting of something else, unless said strongly."""


def choose(weights: dict[Intent, tuple[float, int]], facts: Facts) -> tuple[Intent, tuple[Intent, ...]]:
    """The main intent and the further ones."""
    if not weights:
        return _silent(facts), ()
    ranked = sorted(weights, key=lambda intent: (-weights[intent][0], _ORDER.index(intent)))
    main = ranked[0]
    if weights[main][0] < (STRONG if main in _SETTINGS else LEAST):
        return _silent(facts), ()
    if main == "guidance" and weights[main][0] >= FAULT:
        return main, ()
    others = (i for i in ranked[1:] if weights[i][0] >= STRONG and i != "guidance")
    rest = sorted(others, key=lambda intent: weights[intent][1])
    return main, tuple(rest[:3])


def _silent(facts: Facts) -> Intent:
    """What a bare list of things asks."""
    if facts.error:
        return "oom" if facts.oom else "compatibility"
    if facts.has_budget:
        return "budget"
    if facts.sized:
        return "can_it_run" if facts.card_known else "min_vram"
    if facts.owned_or_named:
        return "spec"
    if facts.has_concurrency:
        return "which_to_buy"  # so many people are told to have hardware sized for them
    return "guidance" if facts.workload or facts.methods or facts.formats else "other"


def _context_of(facts: Facts, weights: dict[Intent, float]) -> dict[Intent, float]:
    """What the slots say about the question: nobody asks how long a run takes that has no training in it."""
    extra: dict[Intent, float] = defaultdict(float)
    if facts.owned_or_named < 2:
        extra["compare"] -= 2.0
    if facts.owned_or_named == 0:
        extra["compare"] -= 2.5
        extra["spec"] -= 1.5
        extra["power"] -= 0.5
    if facts.has_budget:
        extra["budget"] += 2.0 + weights.get("which_to_buy", 0.0)
        extra["which_to_buy"] -= 1.0
    if facts.has_budget and not facts.card_known:
        extra["can_it_run"] -= 2.5  # what the money buys is asked, and there is nothing yet for it to run on
    if "which_to_buy" in weights and not facts.owned_or_named:
        extra["compatibility"] -= 2.0
    if not facts.sized and not facts.training:
        extra["can_it_run"] -= 0.5
    if facts.has_concurrency:
        extra["concurrency"] -= 1.0
    told = max((weight for intent, weight in weights.items() if intent != "guidance"), default=0.0)
    if facts.has_concurrency and facts.sized and not facts.card_known and not facts.training and told < STRONG:
        extra["which_to_buy"] += STRONG + 0.5  # a model for so many people, and nothing yet to serve it with
    if facts.has_context:
        extra["context_length"] += 0.5
    if facts.long_context:
        extra["context_length"] += 1.5
    if facts.card_known and facts.sized:
        extra["can_it_run"] += 0.5
        extra["spec"] -= 0.0 if facts.sized_before else 2.0
    if not facts.training:
        extra["training_time"] -= 4.0
    if facts.oom and "oom" in weights:
        extra["can_it_run"] -= 0.75
        extra["speed"] -= 2.5
    if facts.oom:
        extra["training_time"] -= 2.0
    if facts.error and facts.oom:
        extra["oom"] += 3.5
    if facts.provider and "budget" in weights:
        extra["cloud_or_buy"] += 5.0
    if facts.methods and not facts.owned_or_named and not facts.sized and not facts.has_budget:
        extra["guidance"] += 2.0
        extra["which_to_buy"] -= 3.0
    if facts.formats > 1 and facts.sized and facts.owned_or_named == 1:
        extra["which_to_buy"] -= 3.0
        if weights.get("how_many_gpus", 0.0) < STRONG:  # a number asked for in each format is still a number
            extra["can_it_run"] += STRONG + 0.5
    if facts.formats > 1 and not facts.owned_or_named:
        extra["guidance"] += 1.5
        extra["which_to_buy"] -= 3.0
    if facts.owned_or_named and not facts.workload:
        extra["min_vram"] -= 1.5
    return extra

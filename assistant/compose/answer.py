"""The whole answer: which renderer speaks, and in what order its parts are said."""

import re
from collections.abc import Callable, Sequence

from assistant.answer import Draft, ToolCallRecord
from assistant.compose import (
    acquisition,
    cache_alone,
    capacity,
    caveats,
    changed,
    clarify,
    closed,
    commands,
    compatibility,
    cost,
    diagnosis,
    facts,
    fit,
    follow_up,
    forecast,
    guidance,
    host_machine,
    keeping_up,
    launch,
    leads,
    link,
    loaded,
    names,
    paces,
    particular,
    power,
    rent_or_buy,
    room,
    run,
    scope,
    served,
    several,
    shopping,
    signs,
    tiers,
    together,
    topology,
)
from assistant.compose.aspects import BY_KEY
from assistant.compose.before import Before
from assistant.compose.citations import joined
from assistant.compose.material import Material
from assistant.compose.premise import believed, premises, uneven
from assistant.compose.section import Section
from assistant.compose.written import draft_of
from assistant.plan import money, price_claims, requests, ways
from assistant.plan import particular as shapes
from assistant.plan.provisional import chinese_cards
from assistant.plan.usual import with_usual
from assistant.understand.engines import engines_compared
from assistant.understand.intent_rules import RELIABILITY
from assistant.understanding import Understanding
from tools.need import Intent

BARE_WORDS = 2
"""A question of no more words than this (a Chinese word is about two characters) asks nothing yet."""
_WORDS = re.compile(r"[一-鿿]{1,2}|[a-z0-9.+-]+", re.I)

Renderer = Callable[[Material], Section]

_WHY = re.compile(
    r"为什么|为啥|怎么回事|咋回事|咋整|怎么办|原因|正常吗|反而|哪里不对|图啥|what is happening|\bwhy\b|\breason|"
    r"\bwrong\b|expected\?|because|slower than|bottleneck|导致",
    re.I,
)
"""Words that ask for a cause rather than for a property."""
_WORTH = re.compile(
    r"有用吗|有没有用|有必要|值得|值不值|划算|靠谱|有意义|能买吗|怎么选|怎么验|如何验|该选|选哪|好不好|行不行|怎么样|"
    r"还是[买租]|必须|违规|管制|能一起|混用|什么时候[选用]|"
    r"when should|\bworth(?! now| today|\?)|\buseful|\bhelps?\b|make sense|good idea|\breliable|any good|\bmatters?\b|"
    r"how (?:do|can|should) i|(?:rent|buy) or (?:rent|buy)",
    re.I,
)
"""Words that ask for a judgement rather than for a figure."""
SURELY = 0.75
"""Likelihood from which a passage answers: none of 229 questions of other trades reached it."""
LIKELY = 0.5
"""The same where a judgement is asked for and nothing is to be chosen: classes of machines would answer nothing."""
BEYOND_DOUBT = 0.92
"""The same for a question that would also have a card: what is asked of all cards at once stays below."""
_SHOPPING = {"which_to_buy", "budget", "cloud_or_buy", "compare"}
"""What asks for a product: without a workload, only advice on that very thing comes before what to ask."""
_TRUE = re.compile(
    r"\b(?:is|are|was) (?:that|this|it|they) (?:really )?(?:right|normal|true|correct|expected|plausible)\b"
    r"|\breally (?:needs?|takes?)\b"
    r"|真的(?:吗|要|需要|得)|对(?:吗|么|不对)|正常(?:吗|么|不)|是不是(?:真|对|搞错|算错)|不应该吧|怎么(?:会|可能)",
    re.I,
)
"""Words that doubt an amount that is told: whether it holds comes before what the cards hold."""
_LASTS = re.compile(RELIABILITY, re.I)
_SIZED = {"fits", "fits_with_changes", "does_not_fit", "recommendation"}
"""Verdicts on what cards hold, beside which software is told where it was asked about."""
_FORMAT_CHOICE = re.compile(r"fp8|fp4|int8|int4|bf16|awq|gptq|smoothquant", re.I)


def compose(understanding: Understanding, calls: Sequence[ToolCallRecord], before: Before | None = None) -> Draft:
    """The answer to what was understood, resting on these results and nothing else.

    `before`: what the former answer told, where the reading does not hold it (`before.apart`); it notes its readers.
    """
    told = Before.of(understanding) if before is None else before
    material = Material(with_usual(understanding), tuple(calls), before=told)
    if understanding.out_of_scope:
        return _aside(material, scope.out_of_scope(material))
    if understanding.command == "thanks":
        return _aside(material, scope.thanked(material))
    settled = {"training_time"} if fit.by_deadline(material) else set()
    settled |= paces.settled(material)
    if keeping_up.asked(material) or capacity.paced(material):
        settled |= {"speed"}
    service = closed.closed(material) or together.together(material) or particular.particular(material)
    brought = [service, *_offered(material)] if service else _brought(material)
    if "interconnect" in material.intents and link.link(material):
        settled |= {"speed"}
    sections = brought or [RENDERERS[intent](material) for intent in material.intents if intent not in settled]
    main = sections[0] = sections[0] if brought else _explained(material, sections[0])
    if not brought:
        main = sections[0] = host_machine.beside(material, signs.slow(material, main))
    if not brought and not understanding.command and commands.asks_derivation(material):
        main = sections[0] = commands.derived(material, main)
    if understanding.command:
        main = sections[0] = commands.COMMANDS[understanding.command](material, main)
    if not understanding.command and (not brought or requests.sized(material.need)):
        _frame(material, main)
    if understanding.follow_up:
        follow_up.shortened(material, main)
    leads.lead(material, main)
    draft = draft_of(material, _without_repeats(sections), changed.compare(material, main))
    return _refused(material, draft) if understanding.dictated else draft


def _offered(material: Material) -> list[Section]:
    """Beside a price that is judged, what the cards offered do for the work they are to be bought for."""
    judged = shapes.shape(material.understanding) == "price_claim" and price_claims.works(material.understanding)
    return [fit.can_it_run(material)] if judged and material.estimates else []


def _aside(material: Material, section: Section) -> Draft:
    """An answer that tells nothing of the matter: a later turn builds on the one before it."""
    return draft_of(material, [section]).model_copy(update={"shown": material.before.whole()})


def _brought(material: Material) -> list[Section]:
    """Files that were made, or what was pasted, with the question about a model that came with it."""
    if any(material.results("diagnose_oom")) and "oom" not in material.intents:
        return [diagnosis.diagnosis(material)]
    files = launch.launch(material) if "launch_files" not in material.intents else None
    if files is not None:
        return [files]
    found = [one for one in (topology.topology(material), forecast.forecast(material)) if one is not None]
    if not found or not requests.sized(material.need):
        return found
    asked = [RENDERERS[intent](material) for intent in material.intents if intent not in {"other", "guidance"}]
    return asked + found if asked and asked[0].verdict != "clarification" else found


def _refused(material: Material, draft: Draft) -> Draft:
    """To an order to state something: no, and what the arithmetic says of it."""
    text = f"{material.say('scope.dictated')}\n\n{draft.answer}"
    return draft.model_copy(update={"verdict": "out_of_scope", "answer": text})


def _explained(material: Material, main: Section) -> Section:
    """For a question why something is so or whether it is worth it: the documents first, facts and offers after."""
    unasked = material.intents[0] == "interconnect" and not BY_KEY["link"].asked.search(material.text)
    if main.settled:
        return main
    worth = bool(_WORTH.search(material.text))
    unsized = main.verdict == "clarification" and not requests.sized(material.need)
    reasons = worth or unasked or bool(_WHY.search(material.text))
    if not (unsized or (main.verdict == "fact" and reasons and not main.rests_on_documents)):
        return main
    if unsized and not worth and any(material.results("what_fits")):
        return main
    undecided = guidance.TOPIC if material.intents[0] in _SHOPPING else guidance.OPEN
    bar = guidance.DECISION if worth else undecided if unsized else guidance.CAUSE
    quotes = guidance.quoted(material, guidance.QUOTED_ALONE_MAX, bar)
    if not quotes:
        return _unlinked(material, main) if unasked else main
    advised = "\n".join(guidance.quoted(material))
    asked_back = unsized and main.headline == material.say("clarify.need_more")
    kept = [block for block in main.body if block != advised]
    main.body = ["\n".join(quotes[1:]), "" if asked_back else main.headline, *kept]
    main.headline, main.rests_on_documents = quotes[0].removeprefix("- "), True
    return main


def _unlinked(material: Material, main: Section) -> Section:
    """Cards without a link between them: that comes first where the question is why they are slow together."""
    lacking = [row for row in facts.cards(material) if row.nvlink_bytes_per_s is None and row.vendor == "NVIDIA"]
    if lacking:
        main.body.insert(0, main.headline)
        marker = joined([facts.cite_card(material, lacking[0], [BY_KEY["link"]])])
        main.headline = material.say("caveat.no_link", gpu=names.gpu_name(lacking[0].id)) + marker
    return main


def _frame(material: Material, main: Section) -> None:
    """What belongs to every answer: names in doubt, wrong premises, what the documents add, what to ask."""
    doubts = clarify.unknown_names(material)
    main.assumptions += clarify.ambiguous_names(material)
    if clarify.turns_on_unknown(material):
        main.body.insert(0, "" if main.headline in (material.say("guidance.nothing"), doubts[0]) else main.headline)
        main.headline, main.verdict = doubts[0], "clarification"
    wrong = premises(material)
    if (refusal := compatibility.refusal(material)) and main.verdict != "clarification":
        main.body.insert(0, main.headline)
        main.headline = refusal
        main.verdict = "fits_with_changes" if main.verdict == "fits" else main.verdict
    elif (over := caveats.over_network(material)) and main.verdict in _SIZED:
        main.body.insert(0, main.headline)
        main.headline = over
        main.caveats = [one for one in main.caveats if one != material.say("caveat.apart")]
    if main.verdict in _SIZED and (software := compatibility.beside(material)):
        main.body.insert(1 if refusal else 0, software)
    if main.verdict != "clarification" and (taken_back := caveats.interruptible(material)):
        main.body.insert(0, main.headline)
        main.headline = taken_back
    if claimed := believed(material):
        main.body.insert(0, main.headline)
        main.headline, main.verdict = claimed, "fits_with_changes" if uneven(material) else main.verdict
    doubted = main.verdict in ("fits", "fits_with_changes") and _TRUE.search(material.text) is not None
    if wrong and (main.verdict == "estimate" or doubted) and not clarify.turns_on_unknown(material):
        main.body.insert(0, main.headline)
        main.headline = wrong.pop(0)
    main.body[:0] = [line for line in (*wrong, *doubts) if line not in main.headline]
    main.caveats += [*caveats.in_data_centre(material), *guidance.disputed(material)]
    main.questions = clarify.questions(material, main.verdict)
    bar = guidance.REMEDY if main.verdict == "diagnosis" else guidance.ASIDE
    aside = not material.understanding.follow_up or main.verdict in follow_up.ADVISED
    counted = main.verdict == "estimate" and any(material.results(tool) for tool in ("estimate_cost", "plan_power"))
    if aside and not (main.rests_on_documents or main.settled or counted or _asks_nothing(material)):
        main.body.append(guidance.heard(material, [main.headline, *main.body], bar))


def _fit(material: Material) -> Section:
    """Does it fit – of a model; without one, what would."""
    if not material.estimates and compatibility.asked(material):
        return compatibility.compatibility(material)
    if not material.estimates and any(material.results("what_fits")):
        section = capacity.what_fits(material)
        if section.verdict == "recommendation":
            section.verdict = "clarification"
        return section
    if not material.estimates:
        return _nothing_to_size(material)
    return (fit.how_many if chinese_cards(material.understanding) else fit.can_it_run)(material)


def _launch(material: Material) -> Section:
    """The files; where none could be made, whether and on what the work would fit."""
    return launch.launch(material) or _fit(material)


def _nothing_to_size(material: Material) -> Section:
    if any(doubt.unknown for doubt in material.understanding.ambiguities):
        return clarify.only_clarify(material)
    if (classes := tiers.tiers(material)) is not None:
        return (None if tiers.asks_nothing_else(material) else _advised(material)) or classes
    if material.configurations:
        return shopping.which_to_buy(material)
    found = guidance.guidance(material)
    found.verdict = "clarification"
    return found


def _how_many(material: Material) -> Section:
    """By the rate that texts come at, by a deadline, or by memory."""
    return keeping_up.keeping_up(material) or served.served(material) or _sized(fit.how_many)(material)


def _sized(renderer: Renderer) -> Renderer:
    def render(material: Material) -> Section:
        if not material.estimates:
            return _fit(material)
        return cache_alone.cache(material) or renderer(material)

    return render


def _shop(material: Material) -> Section:
    if (together := several.several(material)) is not None:
        return together
    asked = money.asks_cost(material.text) or cost.of_a_run(material) or money.asks_price(material.text, material.need)
    worked_out = cost.cost(material) if asked else None
    if worked_out is not None:
        return worked_out
    if len(requests.named_gpus(material.need)) > 1 and any(material.results("compare_gpus")):
        return loaded.comparison(material)
    if not requests.sized(material.need) and _FORMAT_CHOICE.search(material.text):
        found = compatibility.compatibility(material)
        if found.verdict == "fact":
            return found
    if (classes := tiers.tiers(material)) is not None:
        return _advised(material) or classes
    if acquisition.only_rents(material):
        return shopping.rent(material)
    either = ways.only(material.text, material.need) is None and requests.sized(material.need)
    # A job of known length is paid once, whatever it runs on.
    of_cards = ways.of_cards(material.text) and material.need.dataset_tokens is None
    if either and ways.asks_for_cheapest(material.text) and not of_cards:
        return shopping.cloud_or_buy(material)
    return shopping.which_to_buy(material)


def _advised(material: Material) -> Section | None:
    """The documents, where they surely speak to the question: the more so where a card is wanted, too."""
    wants = acquisition.buys(material) or ways.of_cards(material.text)
    best = max((passage.answers or 0.0 for passage in material.passages), default=0.0)
    judgement = material.intents[0] not in _SHOPPING and _WORTH.search(material.text) is not None
    bar = LIKELY if judgement else BEYOND_DOUBT if wants else SURELY
    if material.need.budget is not None or best < bar:
        return None
    return guidance.guidance(material)


def _spec(material: Material) -> Section:
    """The data sheet; why a card cannot do something, where that is asked."""
    named = material.need.engine or material.need.kv_format or _WHY.search(material.text)
    return (compatibility.compatibility if named and compatibility.refused(material) else facts.spec)(material)


def _linked(material: Material) -> Section:
    sized = any(one.fit for one in material.estimates)
    return link.link(material) or (fit.can_it_run(material) if sized else facts.spec(material))


def _guidance(material: Material) -> Section:
    """The documents; with the arithmetic when a model was named."""
    beside = engines_compared(material.text) or material.understanding.fault or _LASTS.search(material.text)
    if material.estimates and material.estimates[0].fit and not beside:
        return fit.can_it_run(material)
    alone = clarify.only_clarify if _asks_nothing(material) else guidance.guidance
    return compatibility.caused(material) or alone(material)


def _asks_nothing(material: Material) -> bool:
    """Whether there are words, but neither a question nor a thing named: "GPU?", 「显卡」."""
    few = len(_WORDS.findall(material.text)) <= BARE_WORDS
    return few and material.intents == ["other"] and not facts.cards(material) and not material.estimates


RENDERERS: dict[Intent, Renderer] = {
    "can_it_run": _fit,
    "how_many_gpus": _how_many,
    "min_vram": _sized(fit.memory_needed),
    "which_to_buy": _shop,
    "compare": loaded.comparison,
    "spec": _spec,
    "speed": paces.speed,
    "training_time": run.timed,
    "concurrency": _sized(room.context_and_users),
    "context_length": _sized(room.context_and_users),
    "budget": _shop,
    "cloud_or_buy": rent_or_buy.rent_or_buy,
    "compatibility": compatibility.compatibility,
    "oom": diagnosis.diagnosis,
    "interconnect": _linked,
    "power": power.power,
    "launch_files": _launch,
    "what_fits": capacity.what_fits,
    "guidance": _guidance,
    "other": _guidance,
}


def _without_repeats(sections: Sequence[Section]) -> list[Section]:
    """The sections, less later ones that say what an earlier one said."""
    kept: list[Section] = []
    for section in sections:
        twice = kept and section.verdict == kept[0].verdict == "fact"
        if kept and (twice or section.verdict == "clarification" or section.rests_on_documents):
            continue
        if all(section.headline != other.headline for other in kept):
            shown = {_opening(block) for other in kept for block in other.body}
            section.body = [block for block in section.body if block and _opening(block) not in shown]
            kept.append(section)
    return kept


def _opening(block: str) -> str:
    """What tells a block from others of its kind: its heading, or the head of its table."""
    opening = block.split("\n", 1)[0]
    return opening.split("|")[1] if opening.startswith("|") else opening

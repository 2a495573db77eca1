"""What to buy or rent: the configurations found, the memory they rest on, and what the budget changes."""

from assistant.compose import facts, guidance, hybrid, lasting, names, near_miss, numbers, renting, whole_job
from assistant.compose.arithmetic import arithmetic, cite, column_name, interval, subject, total
from assistant.compose.around import asked_whole, machine, machine_line
from assistant.compose.aspects import BUILT_IN, BY_KEY
from assistant.compose.assume import assumed
from assistant.compose.caveats import caveats
from assistant.compose.material import Estimate, Material
from assistant.compose.more_money import all_of_it, miss_price, more_money
from assistant.compose.orders import break_even, cards_of, cheapest, chosen, in_hand, left_idle, orders, price, speed
from assistant.compose.section import Section
from assistant.plan import duration, requests
from assistant.plan.formats import bits
from assistant.plan.sooner import least_job, pays_once
from assistant.understand.companions import as_beside
from kb.catalog import gpu, provider
from kb.units import DAY_S, GIB
from tools.configuration import Configuration

LEAST_LEFT = 0.1
"""Share of a budget below which what remains of it is not worth a word."""


def which_to_buy(material: Material) -> Section:
    """The best configuration, the others in short, and the memory behind them."""
    need = material.need
    if not material.configurations:
        return nothing_found(material)
    best = chosen(material.configurations)[0]
    if _limits(material) and best.price.amount is None:
        unpriced = nothing_found(material)
        unpriced.body.insert(1, orders(material, material.configurations))
        return _finish(material, unpriced)
    if material.lighter_task:
        return _lighter(material, best)
    if duration.in_time_for(need) and not (need.budget or need.acquisition) and (once := _rented_once(material)):
        return once
    if not requests.sized(need):
        return _provisional(material, best)
    headline = material.say("shop.recommend", what=_needing(material), order=_short(material, best, brief=True))
    told = _asked_beyond(material) + headline
    section = Section("recommendation", told + left(material, best) + material.say("list.stop"))
    section.headline += lasting.on_order(material, best)
    section.assumptions += whole_job.taken(material)
    section.body = [
        _limits(material),
        orders(material, material.configurations),
        candidates_table(material),
        "" if asked_whole(material, best) else more_money(material, best),
        _split(material),
        _memory(material),
    ]
    return _finish(material, section)


def candidates_table(material: Material) -> str:
    """What tells the cards put forward apart, where they were looked up for it; empty where not."""
    if requests.named_gpus(material.need):
        return ""
    shown = {one.gpu for one in chosen(material.configurations)}
    rows = [row for row in facts.cards(material) if row.id in shown]
    return facts.facts_table(material, rows, [BY_KEY[key] for key in BUILT_IN]) if rows else ""


def _limits(material: Material) -> str:
    """What kept everything out of the first search, where what is ordered was found by another."""
    first = next(material.results("configure"), None)
    return (
        ""
        if first is None or first["configurations"] or first.get("least_first_s")
        else "\n".join(list(dict.fromkeys(near_miss.misses(material)))[: near_miss.MISSES_MAX])
    )


def _asked_beyond(material: Material) -> str:
    """That the cards asked about would do, for more than the budget: before what stays within it."""
    first, budget = next(material.results("configure"), None), material.need.budget
    if first is None or first["configurations"] or budget is None:
        return ""
    for row in first.get("rejected") or ():
        needed, usable = row.get("needed_bytes_per_gpu") or 0, row.get("usable_bytes_per_gpu") or 0
        shut = any(one["code"] in near_miss.SHUT for one in row["reasons"])
        if row["gpu"] in material.need.gpus_asked and row.get("price_usd") and needed <= usable and not shut:
            return material.say(
                "shop.asked_beyond",
                cards=names.cards(row["gpu"], row["gpu_count"]),
                price=miss_price(row),
                own=numbers.money(budget.amount, budget.currency),
            )
    return ""


def _split(material: Material) -> str:
    """The model on one card and the host's memory, where that was worked out beside."""
    shared = hybrid.split(material)
    told = any(one.request.get("machine_memory_bytes") for one in material.records("estimate_cost"))
    if told or shared is None or hybrid.host_of(shared).verdict == "no":
        return ""
    if material.need.host_memory_bytes or material.need.gpus_owned:
        return ""
    return "- " + hybrid.headline(material, shared)[0]


def _provisional(material: Material, best: Configuration) -> Section:
    """Nothing to size: ask, say what the documents advise, and give a starting point within the budget."""
    say = material.say
    if material.need.task == "rendering":
        return _rendering(material, best)
    order = say("shop.provisional", order=_short(material, best, brief=True)).rstrip(".。")
    order += left(material, best) + say("list.stop")
    advice = guidance.quoted(material)
    section = Section("clarification", order if material.need.budget else say("clarify.need_more"))
    section.body = ["\n".join(advice), "" if material.need.budget else order, orders(material, material.configurations)]
    section.rests_on_documents = bool(advice)
    return _finish(material, section)


def _rendering(material: Material, best: Configuration) -> Section:
    """Renderers share frames and tiles out over all cards, each of which holds the whole scene."""
    say = material.say
    order = say("shop.rendering", order=_short(material, best, brief=True)) + left(material, best) + say("list.stop")
    section = Section("recommendation", order, [orders(material, material.configurations)], settled=False)
    section.caveats = [say("shop.scene", memory=f"{gpu(best.gpu).memory_bytes // GIB} GB")]
    section.configurations = material.configurations
    section.assumptions += limited(material)
    return section


def _lighter(material: Material, best: Configuration) -> Section:
    """Out of reach as asked, within reach with a lighter way to fine-tune."""
    say, task = material.say, material.lighter_task or "qlora"
    lighter = next((one for one in material.estimates if one.task == task), None)
    text = say("shop.lighter", what=_what(material), method=names.task_name(task, say), order=_short(material, best))
    section = Section("recommendation", text + (cite(material, lighter) if lighter else "") + _budget(material))
    section.body = [orders(material, material.configurations), _memory(material)]
    return _finish(material, section)


def rent(material: Material) -> Section:
    """The cheapest instance that holds the workload."""
    every = [one for one in material.configurations if one.acquisition == "rent"]
    there = [one for one in every if _of_the_asked(material, one)]
    rented = there or every
    if not rented:
        return which_to_buy(material)
    best = rented[0]  # what the memory below was worked out for
    headline = renting.cheapest(material, best, rented, _needing(material))
    if not there:
        cloud = names.cloud_name(material.need.provider or "", material.say)
        headline = material.say("shop.not_there", cloud=cloud) + headline
    month = best.price.month
    told = say_month(material, best) if month else _budget(material)
    headline = headline.rstrip(".。") + told + material.say("list.stop") if month else headline + told
    headline, taken = headline + lasting.on_order(material, best), whole_job.taken(material)
    section = Section("recommendation", headline, assumptions=taken)
    listed = orders(material, [best, *(one for one in rented if one != best)])
    section.body = [listed, renting.changes(material, best), _memory(material)]
    return _finish(material, section)


def _of_the_asked(material: Material, one: Configuration) -> bool:
    """Whether an instance is of the cloud that was asked about, or any would do."""
    asked = material.need.provider
    return asked is None or (one.provider or "").startswith(provider(asked).name)


def say_month(material: Material, one: Configuration) -> str:
    """A month's rent around the clock beside the budget for a month."""
    budget, month = material.need.budget, one.price.month
    if budget is None or month is None:
        return ""
    return material.say("shop.month", month=numbers.money(month.amount, month.currency),
                        own=numbers.money(budget.amount, budget.currency))  # fmt: skip


def cloud_or_buy(material: Material) -> Section:
    """Renting against buying the same work: both prices, and the hours at which they meet when that was computed."""
    rented = [one for one in material.configurations if one.acquisition == "rent"]
    bought = [one for one in material.configurations if one.acquisition == "buy" and one.price.amount]
    if not rented or not bought:
        return which_to_buy(material)
    if (once := _rented_once(material)) is not None:
        return once
    job, purchase = least_job(rented), cheapest(bought)
    alike = [one for one in rented if bits(one.weight_format) == bits(purchase.weight_format)]
    lease = job or cheapest(alike or rented)
    headline = material.say(
        "shop.rent_or_buy", what=_what(material), rent=_short(material, lease), buy=_short(material, purchase)
    )
    section = Section("recommendation", headline)
    paid, leased = purchase.price.asked_price or purchase.price, lease.price.asked_price or lease.price
    section.body = [
        break_even(material, paid.low or paid.amount, leased.amount, paid.currency),
        material.say("shop.rent_or_buy_rule"),
        orders(material, [lease, purchase]),
        _memory(material),
    ]
    return _finish(material, section)


def _rented_once(material: Material) -> Section | None:
    """A job of known length that is not worth hardware of one's own; None where there is none, or it is."""
    rented = [one for one in material.configurations if one.acquisition == "rent"]
    bought = [one for one in material.configurations if one.acquisition == "buy" and one.price.amount]
    job, purchase = least_job(rented), cheapest(bought) if bought else None
    if job is None or purchase is None or not pays_once(job, purchase):
        return None
    headline = material.say(
        "shop.rent_job", what=_what(material), rent=_short(material, job), pace=speed(material, job),
        buy=_short(material, purchase),
    )  # fmt: skip
    section = Section("recommendation", headline, [orders(material, [job, purchase]), _memory(material)])
    return _finish(material, section)


def nothing_found(material: Material) -> Section:
    """No configuration: say what came closest and why it fails."""
    say = material.say
    misses = list(dict.fromkeys(near_miss.misses(material)))
    if not misses and not requests.sized(material.need):
        return Section("clarification", say("clarify.need_more"), [_memory(material)])
    nothing = say("shop.nothing", what=_what(material))
    told = near_miss.part_of_the_time(material) or nothing + (near_miss.nearest(material) or _budget(material))
    section = Section("does_not_fit", told)
    section.body = ["\n".join(misses[: near_miss.MISSES_MAX]), _split(material), _memory(material)]
    return _finish(material, section)


def _what(material: Material) -> str:
    """The work in a few words."""
    need, say = material.need, material.say
    if material.estimates:
        model = subject(material, material.estimates[0])
    elif need.model:
        model = names.model_name(need.model)
    elif need.params:
        model = say("model.of_size", size=numbers.params(need.params))
    else:
        return names.task_name(need.task, say) if need.task else say("shop.this")
    work = say("workload.train", model=model, method=names.task_name(need.task or "inference", say, None, need.model))
    others = [names.model_name(one.model) for one in as_beside(material.understanding.need) if one.model]
    return say("shop.beside", what=work, models=say.listed(others)) if others else work


def _needing(material: Material) -> str:
    """The work, and the memory it takes in all when that was computed."""
    if not material.estimates:
        return _what(material)
    main = _main(material)
    if (best := _in_another(material, main)) is not None:
        size = f"{numbers.gib(best.memory.needed_bytes_per_gpu * best.gpu_count)} GiB"
        key = "shop.needing_in_all" if best.gpu_count > 1 else "shop.needing"
        what, used = _what(material) + _load(material), names.format_name(best.weight_format or "")
        return material.say(key, what=what, format=used, size=size)
    size = f"{numbers.gib(main.result.per_gpu.total_bytes * main.gpus)} GiB"
    key = "shop.needing_in_all" if main.gpus > 1 else "shop.needing"
    what, used = _what(material) + _load(material), names.format_name(main.result.weight_format)
    return material.say(key, what=what, format=used, size=size) + cite(material, main)


def _main(material: Material) -> Estimate:
    """The memory of what is recommended; else of the workload as asked about."""
    used = material.configurations[0].weight_format if material.configurations else None
    alike = [one for one in material.estimates if one.result.weight_format == used]
    alone = next((one for one in alike if one.fit is None), None)
    return material.recommended or alone or next(iter(alike), material.estimates[0])


def _in_another(material: Material, main: Estimate) -> Configuration | None:
    """What is recommended, where it is in another format than the memory that was worked out."""
    best = next(iter(material.configurations), None)
    if best is None or main.task != "inference" or best.weight_format in (None, main.result.weight_format):
        return None
    return None if best.weight_format == main.request.get("weight_format") else best


def _load(material: Material) -> str:
    """What was said of requests at once and their length."""
    need, say = material.need, material.say
    if material.estimates[0].task != "inference":
        return ""
    words = []
    if need.concurrent_sequences:
        words.append(say("shop.sequences", count=numbers.count(need.concurrent_sequences)))
    if need.context_tokens:
        words.append(say("shop.tokens", count=numbers.count(need.context_tokens)))
    return say("shop.load", load=say.listed(words)) if words else ""


def _short(material: Material, one: Configuration, *, brief: bool = False) -> str:
    """A configuration in one clause: cards, where, price and its date; `brief`: the sum, without its range."""
    where = " ".join(filter(None, (one.provider, one.instance))) if one.acquisition == "rent" else ""
    cards = cards_of(one)
    if in_hand(one) and (idle := left_idle(material, one)):
        return material.say("order.have_part", cards=names.cards(one.gpu, one.gpu_count + idle), count=one.gpu_count)
    if in_hand(one):
        return material.say("order.have", cards=cards)
    if 0 < one.owned_count < one.gpu_count and one.acquisition == "buy" and not one.cards:
        more = names.cards(one.gpu, one.gpu_count - one.owned_count)
        cards = material.say("order.more", cards=more, count=one.gpu_count)
    return (
        cards
        + (material.say("order.where", where=where) if where else "")
        + material.say("order.at_price", price=price(material, one, brief=brief))
    )


def _budget(material: Material) -> str:
    """What the budget is in dollars, when it was given in another currency."""
    budget = material.need.budget
    if budget is None:
        return ""
    own = numbers.money(budget.amount, budget.currency)
    for result in material.results("configure"):
        if result.get("budget_usd") and budget.currency != "USD":
            return material.say("shop.budget_in_usd", own=own, usd=numbers.usd(result["budget_usd"]))
    return ""


def left(material: Material, best: Configuration) -> str:
    """What of the budget stated remains; where that is most of it, what all of it would buy."""
    say, found, budget = material.say, best.price.budget_left, material.need.budget
    if (over := best.price.beyond) is not None and budget is not None:
        own = numbers.money(budget.amount, budget.currency)
        return say("shop.exceeds", over=numbers.money(over.amount, over.currency), own=own)
    if asked_whole(material, best):
        return machine(material, best)
    if found is None and best.price.asked_price is None:
        return _budget(material)
    if found is None or budget is None or float(found.amount) < LEAST_LEFT * budget.amount:
        return ""
    own = numbers.money(budget.amount, budget.currency)
    beyond = all_of_it(material, best)
    if beyond:
        return say("shop.whole", own=own, more=beyond)
    return say("shop.leaves", own=own, left=numbers.money(found.amount, found.currency))


def _memory(material: Material) -> str:
    """The memory of what is ordered; that of cards which are not is no reason for it."""
    ordered = {one.gpu for one in material.configurations}
    if ordered and not material.recommended and all(one.fit and one.gpu not in ordered for one in material.estimates):
        return ""
    if material.estimates and _in_another(material, _main(material)):
        return ""
    return arithmetic(material, [material.recommended] if material.recommended else material.estimates)


def _finish(material: Material, section: Section) -> Section:
    section.configurations = material.configurations
    section.assumptions += limited(material)
    if material.configurations:
        section.caveats += machine_line(material, chosen(material.configurations)[0])
    if material.estimates:
        main = _main(material)
        section.caveats += caveats(material, main)
        other = _in_another(material, main)
        section.assumptions += assumed(material, main, told=("format",) if other else ())
        if other and material.need.weight_format is None:
            section.assumptions.append(
                material.say("assume.quantised", format=names.format_name(other.weight_format or ""))
            )
    return section


def limited(material: Material) -> list[str]:
    """What the supply that was stated leaves for the cards, where the search kept to it."""
    asked = (record.request.get("max_power_w") for record in material.records("configure"))
    watts = next((one for one in asked if one), None)
    told = [material.say("shop.limited", watts=numbers.count(watts))] if watts else []
    told += [material.say(f"assume.condition_{one}") for one in material.need.conditions]
    if (least := material.need.card_memory_least_bytes) is not None:
        key = "assume.card_memory" if material.need.card_memory_most_bytes else "assume.card_memory_least"
        told.append(material.say(key, size=f"{least / GIB:g}"))
    if material.need.max_gpus:
        told.append(material.say("assume.most_cards", count=material.need.max_gpus))
    within = next((one for record in material.records("configure") if (one := record.request.get("deadline_s"))), None)
    if within and material.need.deadline_s is None:
        told.append(material.say("shop.within", days=numbers.count(within / DAY_S)))
    return told


def memory_clause(material: Material, one: Estimate) -> str:
    """What the workload needs in one clause."""
    return material.say("shop.memory", how=column_name(material, one), total=total(one), interval=interval(one)) + cite(
        material, one
    )

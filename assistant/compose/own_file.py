"""One person's own card: the verdict led by the best file that it holds, not by a format nobody runs there."""

from collections.abc import Sequence

from assistant.answer import AnswerVerdict
from assistant.compose import hybrid, names, numbers, opening, squeezed
from assistant.compose.arithmetic import arithmetic, cite, column_name, named, room_of, total
from assistant.compose.material import Estimate, Material
from assistant.compose.section import Section
from assistant.plan import own_files, requests
from assistant.plan.formats import bits

FOUR_BITS = 4
"""Bits a weight below which answers get markedly worse."""
WORTH_SAYING = 1.25
"""Times the context asked for that a file must have room for to be worth a word."""


def asked(material: Material, main: Estimate) -> bool:
    """Whether files were looked at because the published format does not fit the asker's own card."""
    card = next(iter(requests.cards(material.need)), None)
    return not main.fits and own_files.asked(material.need, card) and bool(_files(material, main))


def section(material: Material, main: Estimate) -> tuple[Section, Estimate]:
    """The answer by the best file, and that file: the widest that fits with room, else what comes nearest."""
    files = _files(material, main)
    placed = {
        one.result.weight_format: one.placed for one in _plain(files) if bits(one.result.weight_format) >= FOUR_BITS
    }
    form = own_files.widest(placed)
    best = next((one for one in _plain(files) if one.result.weight_format == form), None)
    best = best or max(
        (one for one in files if one.fits), key=lambda one: bits(one.result.weight_format), default=files[0]
    )
    alike = [one for one in material.estimates if (one.gpu, one.gpus) == (main.gpu, main.gpus) and not _hosted(one)]
    others = [one for one in alike if one not in (best, main) and one.fits]
    missed = [one for one in alike if one not in (best, main) and not one.fits]
    less = "" if best.fits else squeezed.shorter(material, main)
    verdict: AnswerVerdict = "fits_with_changes" if best.fits or less else "does_not_fit"
    opened = less + opening.opened(material, _headline(material, best, main), "fits", best)
    shown = squeezed.columns([best, *others, *missed, main], [*others, main])
    body = [room_of(material, _roomier(others, best)), arithmetic(material, shown)]
    return Section(verdict, opened, body), best


def _headline(material: Material, best: Estimate, main: Estimate) -> str:
    say, fit = material.say, best.placed
    narrow = best.fits and bits(best.result.weight_format) < FOUR_BITS
    longest, told = fit.max_context_tokens or 0, material.need.context_tokens or 0
    each = say("file.each") if best.gpus > 1 else ""
    text = say(
        f"file.{'narrow' if narrow else fit.verdict}",
        file=_file(material, best),
        what=named(material, best),
        cards=names.cards(fit.gpu, best.gpus),
        total=total(best),
        each=each,
        usable=numbers.gib(fit.usable_bytes, digits=1),
    ) + cite(material, best)
    if best.fits:
        roomy = longest > WORTH_SAYING * told
        text += say("file.room", tokens=numbers.tokens(longest)) if roomy and longest else ""
        text += hybrid.expected(material, best)
        text += say("file.wide", how=names.format_name(main.result.weight_format), total=total(main), each=each)
    return text + ("" if best.fits else on_more(material, best))


def on_more(material: Material, best: Estimate) -> str:
    """How few more of the same card hold the file, where one person's computer takes so many."""
    row = best.minimum(best.placed.gpu)
    if row is None or not best.gpus < row.count <= own_files.OWN_CARDS:
        return ""
    gap = "" if material.say.language == "zh" else " "
    how = column_name(material, best)
    return gap + material.say("fit.on_more_cards", cards=names.cards(row.gpu, row.count), how=how)


def _file(material: Material, one: Estimate) -> str:
    """How many bits the file has, with its name and what else is done to make it fit."""
    form = one.result.weight_format
    whole = column_name(material, one)
    cache = whole.removeprefix(names.format_name(form)).strip()
    told = material.say("file.named", bits=bits(form), name=names.format_name(form))
    return f"{told} {cache}" if cache else told


def _files(material: Material, main: Estimate) -> list[Estimate]:
    """The files on the same cards, as they were planned: what lies on the cards alone."""
    return [
        one
        for one in material.estimates
        if one.result.weight_format.startswith("gguf:")
        and one is not main
        and not _hosted(one)
        and (one.gpu, one.gpus, one.task) == (main.gpu, main.gpus, "inference")
    ]


def _hosted(one: Estimate) -> bool:
    """Whether a part of it is left to the host's memory, or it is on no card."""
    return one.fit is None or one.fit.host is not None


def _plain(files: Sequence[Estimate]) -> list[Estimate]:
    return [one for one in files if one.request.get("kv_format") in {None, "auto"}]


def _roomier(others: Sequence[Estimate], best: Estimate) -> list[Estimate]:
    """Those that leave room for more than the best does."""
    most = best.placed.max_context_tokens or 0
    return [
        one for one in others if (one.placed.max_context_tokens or 0) > most and bits(one.result.weight_format) >= 4
    ]

"""Rows that set a model beside the cards it is to run on."""

import re
from collections.abc import Iterator

from ingest.claims.facts import cards
from ingest.claims.finding import Finding
from ingest.claims.needs import BYTES_4_BIT, CHEAPER_PLACE, ENOUGH, FILLED, REFUTED, TRAIN, named_format
from ingest.claims.reading import Clause, gpus_in, models_in, stated_count
from kb.catalog import models
from kb.units import GB, GIB

_CARDS = re.compile(r"GPU|显卡|加速卡|硬件|配置|推荐|cards?\b|hardware|accelerator|(?:runs|fits?) on", re.IGNORECASE)
_OTHER = re.compile(
    r"\+|＋|多卡|多张|集群|cluster|multi|several|/|或|\bor\b|不|not |lora|微调|tun(?:e|ing)", re.IGNORECASE
)
_NEED_OF = re.compile(
    r"(?:需要?|要|占用?|needs?|requires?|takes?)\s*(?:about|around|roughly|大?约|至少)?\s*(\d{1,4}(?:\.\d)?)\s*GB(?!/)",
    re.IGNORECASE,
)
_FITS_CARD = re.compile(
    r"\b(?:fits?|runs?) (?:on|in|into|onto) (?:a |an |one |a single |any )?(\d{1,3})\s*GB (?:card|GPU)"
    r"|[一单]?[张块]?(\d{1,3})\s*GB\s*(?:显存)?(?:的)?(?:单?卡|显卡|GPU)[^,，。;；不]{0,8}(?:够|放得下|装得下|跑得动|就行|即可)",
    re.IGNORECASE,
)
_CARD_OF_SIZE = re.compile(
    r"(?:(\d{1,2})\s*(?:[x×]|张|块)\s*)?(?<![\d.])(\d{1,3})\s*GB\s*(?:显存)?(?:的)?\s*(?:显卡|单?卡|GPUs?\b|cards?\b)",
    re.IGNORECASE,
)
_TABLE_OF = re.compile(r"带宽|价格|price|速度|tokens?/s|speed|bandwidth", re.IGNORECASE)


def fit_findings(clause: Clause) -> Iterator[Finding]:
    """Judge what a row sets beside a model, and what is said to fit a card named by its size."""
    yield from _row(clause)
    yield from _sized_card(clause)
    yield from _model_on_sized_card(clause)


def _model_on_sized_card(clause: Clause) -> Iterator[Finding]:
    """「GLM-4-9B 在 8GB 显卡上用 FP16 就能部署」: weights in the format named against cards named by their memory."""
    cards_said, stated = [*_CARD_OF_SIZE.finditer(clause.text)], named_format(clause.text)
    if len(cards_said) != 1 or len(clause.about_models) != 1 or stated is None or not stated[1] or clause.gpus:
        return
    if not ENOUGH.search(clause.text) or TRAIN.search(clause.text) or CHEAPER_PLACE.search(clause.text):
        return
    if REFUTED.search(clause.text):
        return
    model = models()[clause.about_models[0].ids[0]]
    count, size = int(cards_said[0][1] or 1), int(cards_said[0][2])
    held, needed = count * size * GIB, model.params * stated[1]
    yield clause.finding(
        subject=model.name,
        attribute="memory needed",
        claimed_value=cards_said[0][0].strip(),
        verdict="wrong" if FILLED * held < needed else "holds",
        correct_value=f"{stated[0]} weights alone: {needed / GB:.4g} GB; the cards hold {held / GIB:,.0f} GB",
        source=f"parameters of {model.id}",
    )


def _sized_card(clause: Clause) -> Iterator[Finding]:
    """「Phi-4 要 29GB,24GB 的卡放得下」: a need beside a smaller card that is named by nothing but its memory."""
    need, card = _NEED_OF.search(clause.text), _FITS_CARD.search(clause.text)
    if need is None or card is None or clause.gpus or REFUTED.search(clause.text) or CHEAPER_PLACE.search(clause.text):
        return
    needed, held = float(need[1]), float(next(filter(None, card.groups())))
    yield clause.finding(
        subject=f"{held:g} GB card",
        attribute="cards for the memory stated",
        claimed_value=f"{held:g} GB for {need[1]} GB",
        verdict="wrong" if held < needed else "holds",
        correct_value=f"{held:g} GB {'is less' if held < needed else 'is no less'} than {need[1]} GB",
        source="arithmetic",
    )


def _row(clause: Clause) -> Iterator[Finding]:
    """「Qwen2.5-72B | BF16 | 1× A100 80GB」: weights in the row's format, else at 4 bits, against the cards named."""
    if not clause.cells or clause.text == clause.cells[0]:
        return
    index = clause.cells.index(clause.text) if clause.text in clause.cells else len(clause.headers)
    header = clause.headers[index] if index < len(clause.headers) else ""
    named, about = gpus_in(clause.text), models_in(clause.cells[0])
    if len(named) != 1 or len(about) != 1 or not _CARDS.search(header) or _TABLE_OF.search(header):
        return
    table = f"{clause.heading} {' '.join(clause.headers)} {clause.row}"
    if _OTHER.search(clause.text) or TRAIN.search(table) or CHEAPER_PLACE.search(clause.row):
        return
    stated = named_format(clause.row)
    if stated is not None and not stated[1]:
        return
    model, mention = models()[about[0].ids[0]], named[0]
    count = stated_count(clause.text, mention) or 1
    held = count * max(card.memory_bytes for card in cards(mention.ids))
    name, each = stated or ("4-bit", BYTES_4_BIT)
    needed = model.params * each
    if stated is None and FILLED * held >= needed:
        return  # which format is meant stays open
    yield clause.finding(
        quote=clause.row,
        subject=model.name,
        attribute="memory needed",
        claimed_value=clause.text,
        verdict="wrong" if FILLED * held < needed else "holds",
        correct_value=f"{name} weights alone: {needed / GB:.4g} GB; the cards hold {held / GIB:,.0f} GB",
        source=f"parameters of {model.id}",
    )

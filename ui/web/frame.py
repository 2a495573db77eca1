"""What stands around the conversation: header, welcome, the list of cards, the documents."""

from html import escape

from ui.assets import asset
from ui.web.understood import editors
from ui.words.labels import labelled, labels

EXAMPLES = {
    "en": (
        "What GPU do I need to QLoRA Llama-3.1-70B at 4k context?",
        "Cheapest cloud instance to serve Llama-3.1-8B to 50 concurrent users with 8k context?",
        "Does the RTX 6000 Ada support NVLink?",
        "4090 or A6000 for LoRA on a 13B?",
    ),
    "zh": (
        "4 张 3090 能跑 Qwen2.5-72B 吗？",
        "预算 50 万人民币，想全参微调 13B 模型，买什么服务器？",
        "DeepSeek-R1 满血版用 8 张 H100 能部署吗？",
        "我只有一张 24G 的卡，能微调多大的模型？",
    ),
}
TOLD_TO_SCRIPTS = (
    "composer", "placeholder", "send", "copied", "delete", "rename", "none_yet", "thanks", "none_found", "kept", "line",
    "kind_bundled", "kind_ingested", "kind_uploaded", "verdict_holds", "verdict_wrong", "verdict_outdated",
    "verdict_unsupported", "verdict_contradiction", "answered", "close", "apply", "cancel", "drop_it", "not_usable",
    "correct_me", "what_to_add", "buy", "rent", "per_hour", "per_month", "per_year", "pick", "progress", "pasted",
    "all_read", "lost", "unshare", "unshared",
)  # fmt: skip
"""Labels that the page's script puts where HTML cannot stand."""


def header() -> str:
    """Name, promise, views, and the switches for language and light."""
    words = "".join(
        f'<i hidden data-words="{key}" data-en="{escape(labels()[key][0])}" data-zh="{escape(labels()[key][1])}"></i>'
        for key in TOLD_TO_SCRIPTS
    )
    return f'{labelled(asset("header.html"))}{words}<i hidden data-editors="{escape(editors())}"></i>'


def shared_header() -> str:
    """The header of a shared page: no conversation to steer, so only the name and the switches."""
    words = f'<i hidden data-words="close" data-en="{labels()["close"][0]}" data-zh="{labels()["close"][1]}"></i>'
    return labelled(asset("shared.html")) + words


def welcome() -> str:
    """What a newcomer sees: what to write, and questions to try."""
    chips = "".join(
        f'<button type="button" class="chip" lang="{language}" data-ask="{escape(text)}">{escape(text)}</button>'
        for language, texts in EXAMPLES.items()
        for text in texts
    )
    return f'{labelled(asset("welcome.html"))}<div class="chips">{chips}</div></section>'


def cards_view() -> str:
    """The catalog's GPUs, filled in by the page from the API."""
    return labelled(asset("cards.html"))


def documents_view() -> str:
    """A text to check against the facts."""
    return labelled(asset("documents.html"))

"""What was understood, as chips that can be corrected."""

from html import escape
from typing import Any

from tools.need import Need
from ui.web.labels import label
from ui.web.quantities import slot

HIDDEN = {"intent", "model_text"}
CORRECTIONS = {
    "en": "Correction: {name} = ",
    "zh": "更正：{name} = ",
}


def understood(need: Need, language: str) -> str:
    """One chip a stated field; selecting it begins a correction in the question box."""
    values = need.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
    if "model" not in values and need.model_text:
        values = {"model": need.model_text, **values}
    if "model" in values:
        values.pop("params", None)
    chips = [_chip(name, value, language) for name, value in values.items() if name not in HIDDEN]
    if not chips:
        return ""
    return f'<p class="understood"><span class="quiet">{label("understood_as")}</span> {"".join(chips)}</p>'


def _chip(name: str, value: Any, language: str) -> str:
    words = slot(name, value)
    short = words.rsplit("/", 1)[-1] if name == "model" else words
    correction = CORRECTIONS["zh" if language == "zh" else "en"].format(name=spoken(name, language))
    return (
        f'<button type="button" class="chip need" data-fill="{escape(correction)}" title="{escape(words)}">'
        f'<span class="quiet">{label(f"slot_{name}")}</span> {escape(short)}</button>'
    )


def spoken(name: str, language: str) -> str:
    """The field's name in one language, for a sentence rather than a label."""
    from ui.web.labels import labels

    english, chinese = labels().get(f"slot_{name}", (name, name))
    return chinese if language == "zh" else english

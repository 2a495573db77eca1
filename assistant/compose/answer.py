"""The whole answer: which renderer speaks, in what order its parts are said."""

from collections.abc import Callable, Sequence

from assistant.answer import Draft, ToolCallRecord
from assistant.compose import clarify, fit, guidance, scope
from assistant.compose.material import Material
from assistant.compose.section import Section
from assistant.understanding import Understanding
from tools.need import Intent

Renderer = Callable[[Material], Section]

RENDERERS: dict[Intent, Renderer] = {
    "can_it_run": fit.can_it_run,
    "how_many_gpus": fit.how_many,
    "min_vram": fit.memory_needed,
    "context_length": fit.context_and_users,
    "concurrency": fit.context_and_users,
    "guidance": guidance.guidance,
    "other": guidance.guidance,
}


def compose(understanding: Understanding, calls: Sequence[ToolCallRecord]) -> Draft:
    """The answer to what was understood, resting on these results and nothing else."""
    material = Material(understanding, tuple(calls))
    if understanding.out_of_scope:
        return _draft(material, scope.out_of_scope(material))
    sections = [RENDERERS[intent](material) for intent in material.intents]
    return _draft(material, *sections)


def _draft(material: Material, *sections: Section) -> Draft:
    main = sections[0]
    text, citations = material.cites.used_in(_text(material, sections))
    return Draft(
        verdict=main.verdict,
        answer=text,
        configurations=tuple(dict.fromkeys(one for section in sections for one in section.configurations)),
        citations=citations,
        assumptions=tuple(dict.fromkeys(one for section in sections for one in section.assumptions)),
        clarifying_questions=tuple(main.questions),
        warnings=tuple(dict.fromkeys(one for section in sections for one in section.warnings)),
    )


def _text(material: Material, sections: Sequence[Section]) -> str:
    """Verdict first, then what it rests on; what several parts share is said once, at the end."""
    blocks: list[str] = []
    for index, section in enumerate(sections):
        blocks.append(f"**{section.headline}**" if index == 0 else section.headline)
        blocks += section.body
    for heading in ("levers", "caveats", "assumptions", "questions"):
        lines = dict.fromkeys(line for section in sections for line in getattr(section, heading))
        blocks.append(_listed(material.say(f"heading.{heading}"), list(lines)))
    return "\n\n".join(block for block in blocks if block)


def _listed(heading: str, lines: Sequence[str]) -> str:
    return "\n".join([f"**{heading}**", "", *(f"- {line}" for line in lines)]) if lines else ""

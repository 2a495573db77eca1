"""What may be asked next with one press, as far as it would tell anything new."""

from assistant.answer import Answer

LEADING_ON = frozenset({"fits", "does_not_fit", "fits_with_changes", "recommendation", "estimate"})
"""Verdicts that one goes on from."""
_FEW_BITS = ("int4", "nf4", "awq", "gptq", "mxfp4", "nvfp4", "gguf:Q4", "gguf:Q3", "gguf:Q2")
"""Formats that four bits would not make smaller."""


def follow_ups(answer: Answer) -> list[str]:
    """Keys of the follow-ups to offer: fewer bits, less money, a cloud, the arithmetic."""
    if answer.verdict not in LEADING_ON:
        return []
    need = answer.need
    sized = bool(need.model or need.params)
    apt = {
        "four_bit": sized and not (need.weight_format or "").startswith(_FEW_BITS),
        "cheaper": sized,
        "cloud": sized and need.acquisition != "rent",
        "arithmetic": any(call.tool.startswith("estimate") for call in answer.tool_calls),
    }
    return [key for key, good in apt.items() if good]

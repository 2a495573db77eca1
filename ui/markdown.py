"""An Answer as one Markdown text: what a terminal, an export or a plain chat client shows."""

from assistant.answer import Answer, Citation

WORDS = {
    "zh": {"ask": "还想确认", "assumed": "假设", "warned": "注意", "sources": "来源"},
    "en": {"ask": "To be sure, tell me", "assumed": "Assumed", "warned": "Mind", "sources": "Sources"},
}


def as_markdown(answer: Answer) -> str:
    """The answer's own text, then whatever it does not say itself: questions, warnings, sources."""
    words = WORDS["zh" if answer.language == "zh" else "en"]
    blocks = [answer.answer.strip()]
    for title, lines in ((words["ask"], answer.clarifying_questions), (words["warned"], answer.warnings)):
        fresh = [line for line in lines if line not in answer.answer]
        if fresh:
            blocks.append(f"**{title}**\n" + "\n".join(f"- {line}" for line in fresh))
    if answer.citations:
        blocks.append(f"**{words['sources']}**\n" + "\n".join(source_line(item) for item in answer.citations))
    return "\n\n".join(blocks)


def source_line(item: Citation) -> str:
    """One source: marker, title, place, date."""
    title = f"[{item.title}]({item.url})" if item.url else item.title
    date = f" ({item.date})" if item.date else ""
    return f"- [{item.marker}] {title} — {item.locator}{date}"

"""Markdown to HTML that cannot carry a script, an image of another host or a hidden address."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

_MARKER = re.compile(r"\[(\d{1,3})\]")
_BOLD = re.compile(r"\*\*([^*\n]+?)([。！？；：，、）」』”]+)\*\*(?=\w)")
"""CommonMark does not end an emphasis between Chinese punctuation and a letter: the punctuation goes outside."""
_ADDRESS = re.compile(r"https?://", re.IGNORECASE)


@lru_cache(maxsize=1)
def _markdown() -> MarkdownIt:
    markdown = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable("table").enable("strikethrough")
    markdown.disable("image")
    markdown.validateLink = lambda url: bool(_ADDRESS.match(url))  # type: ignore[method-assign]
    markdown.add_render_rule("link_open", _outward)
    markdown.add_render_rule("table_open", lambda *_: '<div class="scroll" tabindex="0"><table>')
    markdown.add_render_rule("table_close", lambda *_: "</table></div>")
    return markdown


def _outward(renderer: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    tokens[index].attrSet("rel", "noopener noreferrer nofollow")
    tokens[index].attrSet("target", "_blank")
    return renderer.renderToken(tokens, index, options, env)


def prose(text: str, turn: str = "", markers: Sequence[int] = ()) -> str:
    """Markdown as HTML; source markers such as [2] become links to the source list of `turn`."""
    known = set(markers)

    def link(match: re.Match[str]) -> str:
        marker = int(match[1])
        if marker not in known:
            return match[0]
        return f'<a class="cite" href="#s-{turn}-{marker}" data-source="s-{turn}-{marker}">{marker}</a>'

    return _MARKER.sub(link, str(_markdown().render(_BOLD.sub(r"**\1**\2", text))))

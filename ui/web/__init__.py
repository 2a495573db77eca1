"""The chat page: Gradio over the same advisor as every other face."""

from ui.web.page import mount

__all__ = ["mount"]

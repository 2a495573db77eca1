"""Colours and type: system fonts that set Chinese well, and nothing loaded from elsewhere."""

import gradio as gr

FONTS = (
    "system-ui", "-apple-system", "Segoe UI", "PingFang SC", "Hiragino Sans GB", "Microsoft YaHei",
    "Noto Sans CJK SC", "Noto Sans SC", "Source Han Sans SC", "sans-serif",
)  # fmt: skip
MONO = (
    "ui-monospace",
    "SFMono-Regular",
    "Cascadia Mono",
    "Consolas",
    "DejaVu Sans Mono",
    "Liberation Mono",
    "monospace",
)


def theme() -> gr.themes.Base:
    """The page's theme; `ui/assets/page.css` does the rest from its variables."""
    return gr.themes.Base(
        primary_hue=gr.themes.colors.emerald,
        neutral_hue=gr.themes.colors.slate,
        radius_size=gr.themes.sizes.radius_lg,
        font=FONTS,
        font_mono=MONO,
    ).set(
        body_background_fill="#f6f8f7",
        body_background_fill_dark="#0f1518",
        body_text_color="#14211d",
        body_text_color_dark="#e4ece9",
        button_primary_background_fill="#0a6b50",
        button_primary_background_fill_hover="#08553f",
        button_primary_background_fill_dark="#3fcf9f",
        button_primary_background_fill_hover_dark="#67dcb5",
        button_primary_text_color="#ffffff",
        button_primary_text_color_dark="#06281d",
    )

"""REST: questions, tools, catalog, documents and conversations over HTTP, documented at /docs."""

from ui.api.application import create_app

__all__ = ["create_app"]

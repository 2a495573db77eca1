"""Shapes of models read from their own files: configurations and GGUF heads."""

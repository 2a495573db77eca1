"""Deterministic tools: a typed request in, a result with its derivation out."""

"""Turns that a language model drives: it reads and speaks, tools calculate, a checker lets no number pass."""

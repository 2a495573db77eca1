"""Sentence vectors: the packaged models, and what is learned beside them."""

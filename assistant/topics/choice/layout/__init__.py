"""One kind of question."""

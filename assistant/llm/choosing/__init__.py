"""Which language model: what there is, and how it does on ten questions."""

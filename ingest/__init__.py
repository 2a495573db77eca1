"""Documents become chunks, chunks become an index; their claims are checked against the facts."""

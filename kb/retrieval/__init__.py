"""Search: candidates by words and vectors, how relevant each is, and what may be returned."""

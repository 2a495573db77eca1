"""Ways to acquire cards: what is sold or let where, to whom, in what numbers and at what price."""

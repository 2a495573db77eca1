"""How sections become an answer: their text, what documents say in it, and what it leaves open."""

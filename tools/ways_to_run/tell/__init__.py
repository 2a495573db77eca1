"""How a way is told: titles, flags, what binds, what would change it."""

"""How troubles are asked about and told: what was seen, causes, what is taken, what would fit."""

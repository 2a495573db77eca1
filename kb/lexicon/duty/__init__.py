"""How much of the time a machine works."""

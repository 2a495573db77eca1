"""Topics of one family."""

"""So many a second, and its corpus."""

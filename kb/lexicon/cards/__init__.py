"""Cards and how many of each."""

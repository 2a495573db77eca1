"""What an answer says held against what may stand behind it."""

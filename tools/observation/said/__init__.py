"""What pasted text says: command lines, logs, and what is hidden before any of it is told again."""

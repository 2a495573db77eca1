"""What every face says alike: labels in both languages, numbers, fields of a need, answers as text."""

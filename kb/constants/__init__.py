"""Constants that calculators rest on, each with what it was fitted to or read from."""

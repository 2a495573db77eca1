"""What is said of what was found: bills, reasons, near misses, sources."""

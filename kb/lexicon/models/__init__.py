"""Names of models."""

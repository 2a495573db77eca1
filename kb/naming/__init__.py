"""Names of cards and models as people write them: resolved, and found in running text."""

"""What stands behind a figure: results, passages, the person, the catalog, and arithmetic that is written out."""

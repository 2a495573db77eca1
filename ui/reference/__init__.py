"""Pages and lists that are generated from the code: documentation, catalog tables, bill of materials."""

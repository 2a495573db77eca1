"""The process that serves: one port, workers, turns, documents, what an operator sees."""

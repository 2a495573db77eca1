"""Every way to run a model on the machine in hand."""

"""Links between cards and machines."""

"""What one purchase takes, line by line: cards, machines, bridges, network, racks."""

"""What is inside and around a machine: links, processors, instances of a card, power."""

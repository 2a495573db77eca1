"""How fast a layout is, and what bounds tell without an estimate."""

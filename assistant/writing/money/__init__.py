"""Money and power as arguments of the advisor's tools."""

"""What fits within the limits, and what of it is put first."""

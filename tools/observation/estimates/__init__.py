"""What a set-up should give, figure by figure: see `expected.py`."""

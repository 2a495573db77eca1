"""What topics share: a situation's facts as the arguments of solvers, and results in the asker's language."""

"""What results of the solvers say, a sentence at a time: topics that ask alike choose among the same sentences."""

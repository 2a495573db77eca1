"""What has to be held: the formats and layouts of a work, and the memory of each."""

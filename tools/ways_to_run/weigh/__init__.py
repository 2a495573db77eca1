"""What each candidate holds, reaches and is worth."""

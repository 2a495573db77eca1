"""What accounts search or sum up beside a result: the fewest cards, requests that come, waits, groups of cards."""

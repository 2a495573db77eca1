"""Engines, frameworks and their releases: what each needs, publishes and is started with."""

"""Slack: mentions, direct messages, threads, `/gpu`, the agent view, over HTTP or Socket Mode."""

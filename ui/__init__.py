"""Thin faces over one advisor: web, REST, MCP, command line."""

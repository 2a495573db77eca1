"""The nine tools that a language model sees, in the agent and over MCP: few, in people's words, over all the others."""

"""What is known: facts, documents and their index. No arithmetic about workloads, no agent."""

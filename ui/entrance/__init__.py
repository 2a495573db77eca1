"""What a request passes before it is worked on: who asks, how much, and how a refusal is said."""

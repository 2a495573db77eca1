"""What several predicates share: programs, releases, the server in a container."""

SERVERS = ("vllm", "sglang", "tgi", "llama-server", "trtllm-serve")

TRAINERS = ("trainer", "trl", "llamafactory", "swift", "axolotl")

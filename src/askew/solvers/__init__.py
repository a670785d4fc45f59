"""The chain: system prompt, framing insertion, multi-turn reflection, format instruction."""

"""What a sample goes through before it is scored: setup and the steps of its dialogue."""

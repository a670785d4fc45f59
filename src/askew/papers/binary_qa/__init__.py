"""Binary QA as a task: see `paper.py` for what it asks and measures."""

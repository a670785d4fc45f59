"""What is said of the numbers: document, tables, charts, writers."""

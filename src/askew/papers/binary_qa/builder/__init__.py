"""Makes a set like the paper's, which was never published: sources, rewrites, review."""

"""New library functions, rewritten applications, and files on disk."""

"""What the host does: library functions, kernel handles, regions, liveness."""

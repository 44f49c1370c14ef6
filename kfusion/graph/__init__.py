"""Dependences between invocations, legality, and the partition of a region."""

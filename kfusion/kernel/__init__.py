"""What a kernel does: parameters, accesses in canonical form, guards, types."""

"""A program whose region notes four launches, and an OpenCL for it that does nothing."""

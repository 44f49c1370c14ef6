"""Kernel synthesis: the text of a fused kernel from the texts of its stages."""

"""Source-to-source fusion of OpenCL kernels."""

__version__ = "0.1.0"

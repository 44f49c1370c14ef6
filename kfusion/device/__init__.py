"""The measuring room: the only one that may need an OpenCL device."""

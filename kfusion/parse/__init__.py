"""From text to parsed files: annotations, preprocessing, OpenCL C and host C."""

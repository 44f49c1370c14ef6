"""Builds what the programs that tests start are about to build: see builds.c.

The loader of OpenCL hands each `clBuildProgram` of such a program to a layer, which sends options
and source here and waits. Whatever comes of it, the program then builds for itself.
"""

from __future__ import annotations

import os
import socket
import subprocess
import threading
from contextlib import suppress
from pathlib import Path


def start(folder: Path) -> None:
    """From here on, programs started by this process ask it to build."""
    layer, source = folder / "builds.so", Path(__file__).with_suffix(".c")
    if not layer.exists():
        made = folder / f"{os.getpid()}.so"
        subprocess.run(["cc", "-O1", "-shared", "-fPIC", source, "-o", made], check=True)
        made.replace(layer)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(f"\0tests-build-{os.getpid()}")
    listener.listen()
    threading.Thread(target=_serve, args=(listener,), daemon=True).start()
    os.environ |= {"TESTS_BUILD": str(os.getpid()), "OPENCL_LAYERS": str(layer)}


def _serve(listener: socket.socket) -> None:
    with listener:  # who asks after an error gets no answer, and does not wait for one
        import pyopencl as cl

        from kfusion.device.opencl import pocl_device

        context = None
        known: set[bytes] = set()  # PoCL has these among its files: to ask it again takes 24 ms
        while True:
            with listener.accept()[0] as asked:
                sent = b"".join(iter(lambda: asked.recv(1 << 16), b""))
                if sent in known:
                    continue
                known.add(sent)
                options, source = sent.split(b"\0")
                context = context or cl.Context([pocl_device()])
                with suppress(cl.Error):  # nor will it build there
                    cl._cl._Program(context, source)._build(options=options)

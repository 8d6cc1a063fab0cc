"""onnxruntime, imported so that it keeps quiet: every import of it goes through here.

Left alone, onnxruntime 1.31 writes a device id and queued events under `~/.cache/Microsoft` as
soon as it is imported, and looks up a host of Microsoft's to send them to. The variable must be
set before the import. The switch in its API covers a process that imported it before us.
"""

import os

os.environ["ORT_DISABLE_TELEMETRY"] = "1"

import onnxruntime  # type: ignore[import-untyped]
from onnxruntime.capi import (  # type: ignore[import-untyped]
    onnxruntime_pybind11_state as onnx_errors,
)

__all__ = ["onnx_errors", "onnxruntime"]

onnxruntime.disable_telemetry_events()

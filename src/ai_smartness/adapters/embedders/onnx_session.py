"""What every ONNX model of text needs: an open session, its inputs, and errors of ours."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ai_smartness.adapters.onnx_runtime import onnx_errors, onnxruntime
from ai_smartness.model.errors import StoreError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["OnnxModel"]

MODEL_INPUTS = frozenset({"input_ids", "attention_mask", "token_type_ids"})
"""The inputs that we can provide; most models take two or three of them."""

SEVERITY_FATAL = 4  # the log level that keeps onnxruntime from writing to our stderr


class OnnxModel:
    """An open model that reads the tokens of one text, or of a pair."""

    def __init__(self, path: Path, threads: int) -> None:
        self._session = _open_session(path, threads)
        self._inputs = _wanted_inputs(self._session, path)

    @property
    def output_shape(self) -> "list[int | str | None]":
        """Return the declared shape of the first output; a dimension may be open."""
        shape: list[int | str | None] = list(self._session.get_outputs()[0].shape)
        return shape

    def run(self, tokens: list[int], types: list[int] | None = None) -> "NDArray[np.float32]":
        """Return the first output for one row of tokens; types tell the texts of a pair apart."""
        ids = np.asarray([tokens], dtype=np.int64)
        feeds: Mapping[str, NDArray[np.int64]] = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.asarray([types or [0] * len(tokens)], dtype=np.int64),
        }
        wanted = {name: feeds[name] for name in feeds if name in self._inputs}
        try:
            outputs = self._session.run(None, wanted)
        except _ONNX_ERRORS as error:
            msg = f"the model did not run: {error}. `ais doctor` checks it."
            raise StoreError(msg) from error
        output: NDArray[np.float32] = np.atleast_1d(np.asarray(outputs[0], np.float32))[0]
        return output


def _wanted_inputs(session: onnxruntime.InferenceSession, model: Path) -> set[str]:
    """Return the names of the model's inputs; refuse inputs that we cannot provide."""
    wanted = {node.name for node in session.get_inputs()}
    if strange := wanted - MODEL_INPUTS:
        msg = (
            f"cannot use {model}: it asks for {', '.join(sorted(strange))}, and a model of text is "
            f"fed {', '.join(sorted(MODEL_INPUTS))}. Export an embedding model for feature "
            "extraction, and a reranker for text classification."
        )
        raise StoreError(msg)
    return wanted


def _open_session(model: Path, threads: int) -> onnxruntime.InferenceSession:
    """Open the model without log output and without busy waiting."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = SEVERITY_FATAL
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    except _ONNX_ERRORS as error:
        msg = f"cannot load the model {model}: {error}. Pull it again or use another file."
        raise StoreError(msg) from error


_ONNX_ERRORS = (
    onnx_errors.Fail,
    onnx_errors.InvalidArgument,
    onnx_errors.InvalidGraph,
    onnx_errors.InvalidProtobuf,
    onnx_errors.NoSuchFile,
    onnx_errors.NotImplemented,
    onnx_errors.RuntimeException,
)

"""A cross-encoder of a few bytes: words of one meaning share a direction, and their pairs count."""

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

MEANINGS = (("keys", "credentials"), ("kept", "vault"), ("deploy", "ship"))
"""Words that mean the same to the model; every other word means nothing."""


def write_reranker(folder: Path, *, outputs: int = 1) -> Path:
    """Write the model and its tokenizer into a folder; two outputs are those of two classes."""
    folder.mkdir(parents=True, exist_ok=True)
    words = ["[PAD]", "[CLS]", "[SEP]", "[UNK]", *(word for pair in MEANINGS for word in pair)]
    vocabulary = {word: number for number, word in enumerate(words)}
    _tokenizer(vocabulary).save(str(folder / "tokenizer.json"))
    onnx.save(_model(_meaning_vectors(vocabulary), outputs), str(folder / "model.onnx"))
    return folder


def _tokenizer(vocabulary: dict[str, int]) -> Tokenizer:
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))  # noqa: S106 - no secret
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 1), ("[SEP]", 2)],
    )
    return tokenizer


def _meaning_vectors(
    vocabulary: dict[str, int],
) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    vectors = np.zeros((len(vocabulary), len(MEANINGS)), np.float32)
    for number, pair in enumerate(MEANINGS):
        for word in pair:
            vectors[vocabulary[word], number] = 1
    return vectors


def _model(
    vectors: np.ndarray[tuple[int, int], np.dtype[np.float32]], outputs: int
) -> onnx.ModelProto:
    """Sum the vectors of the query and of the text, and multiply the two sums."""
    ints = [("input_ids", TensorProto.INT64), ("token_type_ids", TensorProto.INT64)]
    logits = np.asarray([[-1, 1]] if outputs > 1 else [[1]], np.float32)
    weights = {
        "vectors": vectors,
        "one": np.asarray(1, np.float32),
        "last": np.asarray([2]),
        "tokens": np.asarray([1]),
        "logits": logits,
    }
    nodes = [
        helper.make_node("Gather", ["vectors", "input_ids"], ["words"]),
        helper.make_node("Cast", ["token_type_ids"], ["types"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["types", "last"], ["in_text"]),
        helper.make_node("Sub", ["one", "in_text"], ["in_query"]),
        helper.make_node("Mul", ["words", "in_text"], ["text_words"]),
        helper.make_node("Mul", ["words", "in_query"], ["query_words"]),
        helper.make_node("ReduceSum", ["text_words", "tokens"], ["text"], keepdims=0),
        helper.make_node("ReduceSum", ["query_words", "tokens"], ["query"], keepdims=0),
        helper.make_node("Mul", ["text", "query"], ["both"]),
        helper.make_node("ReduceSum", ["both", "tokens"], ["sum"], keepdims=1),
        helper.make_node("Mul", ["sum", "logits"], ["score"]),
    ]
    graph = helper.make_graph(
        nodes,
        "reranker",
        [helper.make_tensor_value_info(name, kind, [1, "length"]) for name, kind in ints],
        [helper.make_tensor_value_info("score", TensorProto.FLOAT, [1, outputs])],
        [numpy_helper.from_array(value, name) for name, value in weights.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)

"""Embedding models: local ONNX models, and servers behind a URL."""

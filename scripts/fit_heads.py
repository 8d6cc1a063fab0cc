"""Fit the heads of the statements on `training/`, and say how good they are.

Each head is measured on every writer after fitting on the others, beside the plain rule that
would judge without it. `tests/tables` is never read here. `--real FILE` reads the coding sessions
of which `training/real_lines.jsonl` has the labels; without them, the head that is fitted on them
and the ranking of lines stay as they are.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from fit_data import TRAINING, Arrays, HeadFit, rounded
from fit_kind import KindFit
from fit_lasting import LastingFit
from fit_later import LaterLineFit
from fit_lines import LineRankingFit
from fit_need import NeedFit
from fit_prompts import SETS, PromptFit
from fit_real_lines import real_items
from fit_supersedes import SupersedeFit

from ai_smartness.adapters.embedders.model_cache import ModelCache
from ai_smartness.adapters.embedders.model_catalogue import DEFAULT_MODEL
from ai_smartness.ports import Embedder
from ai_smartness.search.line_ranking import LINE_FITTED
from ai_smartness.settings.paths import cache_folder
from ai_smartness.settings.schema import EmbedderSettings
from ai_smartness.statements.heads import FITTED, load_heads


def main(arguments: Sequence[str]) -> None:
    """Fit, report, and write the data file unless it is a dry run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dry-run", action="store_true", help="only print")
    parser.add_argument("--real", type=Path, help="coding sessions, as JSON lines (.gz)")
    parser.add_argument(
        "--only",
        choices=("need", "lines"),
        help="fit the need of prompts alone, or the ranking of lines, which needs --real",
    )
    options = parser.parse_args(arguments)
    embedder = ModelCache(cache_folder(os.environ) / "models").load_embedder(
        DEFAULT_MODEL, max_chunks=1, languages=EmbedderSettings().languages
    )
    if embedder is None:
        sys.exit(f"The model is not here. `ais model pull {DEFAULT_MODEL}` downloads it.")
    if options.only == "lines":
        fit_lines(embedder, options.real, is_dry_run=options.dry_run)
        return
    if options.only == "need":
        fit_need(embedder, is_dry_run=options.dry_run)
        return
    kind = KindFit(embedder)
    prompts = [PromptFit(embedder, kind, labelled) for labelled in SETS]
    fits: list[HeadFit] = [kind, SupersedeFit(embedder, kind), NeedFit(embedder), *prompts]
    arrays = stored_lasting_head(embedder.space)
    if options.real:
        fits.append(LastingFit(embedder, kind, real_items(options.real)))
    for fit in fits:
        fit.report()
        arrays |= fit.arrays()
    if options.dry_run:
        return
    write_arrays(FITTED, arrays)
    # Fitted last: the lines of a memory are judged by the heads that were just written.
    load_heads.cache_clear()
    if options.real:
        fit_lines(embedder, options.real, is_dry_run=False)
    LaterLineFit(embedder).report()


def fit_need(embedder: Embedder, *, is_dry_run: bool) -> None:
    """Fit the need of prompts, and write it beside the heads that are stored."""
    need = NeedFit(embedder)
    need.report()
    if not is_dry_run:
        with np.load(FITTED / f"{DEFAULT_MODEL}.npz", allow_pickle=False) as stored:
            arrays = dict(stored)
        write_arrays(FITTED, arrays | need.arrays())


def fit_lines(embedder: Embedder, sessions: Path, *, is_dry_run: bool) -> None:
    """Fit the ranking of lines with the heads that are stored, and write it."""
    heads = load_heads(embedder.space)
    if heads is None:
        sys.exit("There are no heads for the model yet. Run `scripts/fit` first.")
    lines = LineRankingFit(embedder, heads.kind, sessions)
    lines.report()
    if not is_dry_run:
        write_arrays(LINE_FITTED, {"space": np.array(embedder.space), **lines.arrays()})


def stored_lasting_head(space: str) -> Arrays:
    """Return the name of the space, and the head for what lasts as it was fitted before."""
    arrays: Arrays = {"space": np.array(space)}
    if heads := load_heads(space):
        arrays |= {
            "lasting_weights": rounded(heads.lasting.weights),
            "lasting_bias": rounded(heads.lasting.bias),
        }
    return arrays


def write_arrays(folder: Path, arrays: Arrays) -> None:
    """Write a data file for the default model."""
    folder.mkdir(exist_ok=True)
    path = folder / f"{DEFAULT_MODEL}.npz"
    with path.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)
    print(f"{path.relative_to(TRAINING.parent)}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])

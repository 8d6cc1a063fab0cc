"""Explore a memory with pictures, cell by cell.

    pip install 'ai-smartness[plots]'
    python explore_memory.py pictures/ [MEMORY.DB PROJECT]

An editor that knows `# %%` runs the cells one by one, as a notebook does. Without a file it is
your own memory, seen from the project of the current folder. No message and no thread is changed;
titles, vectors and statements that are still missing are made first.
"""

# %% Open the memory
import sys
from collections import Counter
from pathlib import Path

import matplotlib as mpl
import numpy as np

mpl.use("agg")
import matplotlib.pyplot as plt

from ai_smartness import Memory

pictures = Path(sys.argv[1] if len(sys.argv) > 1 else "pictures")
pictures.mkdir(parents=True, exist_ok=True)
memory = Memory.open(*sys.argv[2:3], project=sys.argv[3] if len(sys.argv) > 3 else None)
threads = memory.threads()
print(f"{memory.project}: {len(threads)} threads, {memory.status().events} events")

# %% When was something said, and by whom?
events = [event for thread in threads for event in memory.all_events(thread.id)]
days = sorted({event.at.date() for event in events})
figure, axes = plt.subplots(figsize=(8, 3))
bottom = np.zeros(len(days))
for role in sorted({event.role for event in events}):
    counts = Counter(event.at.date() for event in events if event.role == role)
    heights = np.array([counts[day] for day in days])
    axes.bar([str(day) for day in days], heights, bottom=bottom, label=role)
    bottom += heights
axes.set_ylabel("events")
axes.tick_params(axis="x", rotation=60)
axes.legend()
figure.savefig(pictures / "events-by-day.png", bbox_inches="tight")

# %% What weighs most now?
heavy = sorted(threads, key=lambda thread: thread.weight)[-15:]
figure, axes = plt.subplots(figsize=(8, 0.35 * len(heavy) + 1))
axes.barh([thread.title[:50] for thread in heavy], [thread.weight for thread in heavy])
axes.set_xlabel("weight (fades with time)")
figure.savefig(pictures / "threads-by-weight.png", bbox_inches="tight")

# %% How do the subjects relate? Threads near each other are alike, lines are bridges.
places = dict(
    zip(
        (thread.id for thread in threads),
        np.random.default_rng(1).normal(size=(len(threads), 2)),
        strict=True,
    )
)
if memory.embedder is not None and len(threads) > 2:
    texts = [f"{thread.title}. {thread.summary}" for thread in threads]
    vectors = np.stack([rows.mean(axis=0) for rows in memory.embedder.documents(texts)])
    centred = vectors - vectors.mean(axis=0)
    axes_of_most_variance = np.linalg.svd(centred, full_matrices=False)[2][:2]
    places = dict(zip(places, centred @ axes_of_most_variance.T, strict=True))
figure, axes = plt.subplots(figsize=(8, 8))
for bridge in memory.bridges():
    if bridge.source in places and bridge.target in places:
        ends = np.array([places[bridge.source], places[bridge.target]])
        axes.plot(*ends.T, color="grey", linewidth=2 * bridge.weight, alpha=0.5)
for thread in threads:
    axes.scatter(*places[thread.id], s=200 * thread.weight + 10)
    axes.annotate(thread.title[:30], places[thread.id], fontsize=7)
axes.set_axis_off()
figure.savefig(pictures / "map-of-threads.png", bbox_inches="tight")

# %% What holds now?
kinds = Counter(str(statement.kind) for statement in memory.statements())
print("statements in force:", dict(kinds) or "none yet")
for statement in memory.statements(limit=5):
    print(f"- {statement.kind}: {statement.text}")
memory.close()

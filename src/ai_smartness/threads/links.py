"""Link two threads, take a link away, and use one.

A bridge that somebody makes stands beside those found by words. One that is
taken away is remembered as unwanted, so that it is not found anew; one that is
used grows heavier.
"""

from dataclasses import replace
from datetime import datetime

from ai_smartness.describe.relations import bridge_id, faded_bridge_weight, reinforced_bridge
from ai_smartness.model.bridge import Bridge, BridgeDraft
from ai_smartness.model.errors import NotFoundError, RefusedError
from ai_smartness.model.journal import BridgeEdit, Change
from ai_smartness.model.link import Remedy, ThreadListLink
from ai_smartness.ports import ThreadStore
from ai_smartness.threads.change_plan import ChangePlan, refuse_absorbed

__all__ = ["follow", "link", "unlink"]


def link(store: ThreadStore, wanted: BridgeDraft, made_by: str, now: datetime) -> ChangePlan:
    """Plan to link two stored threads."""
    source, target = store.threads.get(wanted.source), store.threads.get(wanted.target)
    refuse_absorbed(source, "link")
    refuse_absorbed(target, "link")
    if source.id == target.id:
        problem = f"cannot link {source.id} to itself."
        raise RefusedError(problem, Remedy(ThreadListLink(), "Name two threads: {}"))
    if not 0 < wanted.weight <= 1:
        msg = f"a bridge cannot weigh {wanted.weight:g}. Give a weight over 0 and up to 1."
        raise RefusedError(msg)
    bridge = Bridge(
        id=bridge_id(source.id, target.id, wanted.relation),
        source=source.id,
        target=target.id,
        relation=wanted.relation,
        weight=wanted.weight,
        reason=" ".join(wanted.reason.split()),
        confidence=1.0,
        made_by=made_by,
        last_used=now,
    )
    before = _unwanted_bridge(store, bridge)
    said = f"{source.id} {wanted.relation} {target.id} now, weight {wanted.weight:g} ({bridge.id})."
    return ChangePlan(
        source.project,
        said,
        Change(bridges=(BridgeEdit(before, bridge),)),
        (source.id, target.id),
    )


def unlink(store: ThreadStore, id_: str) -> ChangePlan:
    """Plan to take a stored bridge away."""
    bridge = _wanted_bridge(store, id_)
    said = f"Took away {bridge.id}: {bridge.source} no longer {bridge.relation} {bridge.target}."
    edit = BridgeEdit(bridge, replace(bridge, unwanted=True))
    return ChangePlan(
        _bridge_project(store, bridge),
        said,
        Change(bridges=(edit,)),
        (bridge.source, bridge.target),
    )


def follow(store: ThreadStore, id_: str, now: datetime, half_life_days: float) -> ChangePlan:
    """Plan to use a stored bridge: it grows heavier, and its fading starts anew."""
    bridge = _wanted_bridge(store, id_)
    present = replace(bridge, weight=faded_bridge_weight(bridge, now, half_life_days))
    used = reinforced_bridge(present, now)
    said = f"Used {bridge.id}: weight {present.weight:.2f} → {used.weight:.2f}."
    edits = () if used == bridge else (BridgeEdit(bridge, used),)
    about = (bridge.target, bridge.source)
    return ChangePlan(_bridge_project(store, bridge), said, Change(bridges=edits), about)


def _bridge_project(store: ThreadStore, bridge: Bridge) -> str:
    return store.threads.get(bridge.source).project


def _wanted_bridge(store: ThreadStore, id_: str) -> Bridge:
    bridge = store.bridges.get(id_)
    if bridge.unwanted:
        msg = f"there is no bridge {bridge.id}: it was taken away. `ais bridges` lists them."
        raise NotFoundError(msg)
    return bridge


def _unwanted_bridge(store: ThreadStore, bridge: Bridge) -> Bridge | None:
    """Return what stands in the place of a new bridge: one that was taken away, or nothing."""
    for known in store.bridges.of(bridge.source, unwanted=True):
        if known.id == bridge.id:
            if not known.unwanted:
                msg = (
                    f"{bridge.source} {bridge.relation} {bridge.target} already ({known.id}, "
                    f"weight {known.weight:.2f}). Run `ais bridges remove {known.id}` first to "
                    "give it another weight or reason."
                )
                raise RefusedError(msg)
            return known
    return None

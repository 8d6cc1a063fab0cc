"""Link two threads with a bridge, remove a bridge, and follow one.

Bridges made by people and agents stand beside those found in the messages. A removed bridge
is remembered as unwanted, so that it is not found again. A bridge that is followed gains
weight; one that is not used fades.
"""

from dataclasses import replace
from datetime import datetime, timedelta

from ai_smartness.describe.relations import bridge_id
from ai_smartness.model.bridge import Bridge, BridgeDraft, Relation
from ai_smartness.model.errors import NotFoundError, RefusedError
from ai_smartness.model.journal import BridgeEdit, Change
from ai_smartness.model.link import Remedy, ThreadListLink
from ai_smartness.ports import ThreadStore
from ai_smartness.threads.change_plan import ChangePlan, refuse_absorbed
from ai_smartness.threads.decay import faded_weight

__all__ = ["faded_bridge_weight", "follow", "keep_apart", "link", "reinforced_bridge", "unlink"]

REINFORCED_SHARE = 0.2  # of the way to 1, by each use: five lift a bridge from 0.3 to 0.77


def link(store: ThreadStore, draft: BridgeDraft, made_by: str, now: datetime) -> ChangePlan:
    """Plan to link two stored threads."""
    source, target = store.threads.get(draft.source), store.threads.get(draft.target)
    refuse_absorbed(source, "link")
    refuse_absorbed(target, "link")
    if source.id == target.id:
        problem = f"cannot link {source.id} to itself."
        raise RefusedError(problem, Remedy(ThreadListLink(), "Name two threads: {}"))
    if not 0 < draft.weight <= 1:
        msg = f"a bridge cannot weigh {draft.weight:g}. Give a weight over 0 and up to 1."
        raise RefusedError(msg)
    bridge = Bridge(
        id=bridge_id(source.id, target.id, draft.relation),
        source=source.id,
        target=target.id,
        relation=draft.relation,
        weight=draft.weight,
        reason=" ".join(draft.reason.split()),
        confidence=1.0,
        made_by=made_by,
        last_used=now,
    )
    change = Change(bridges=(BridgeEdit(_unwanted_bridge(store, bridge), bridge),))
    ends = f"{source.id} {draft.relation} {target.id}"
    sentence = f"{ends} now, weight {draft.weight:g} ({bridge.id})."
    return ChangePlan(source.project, sentence, change, (source.id, target.id))


def keep_apart(store: ThreadStore, ids: tuple[str, str], made_by: str, now: datetime) -> ChangePlan:
    """Plan to remember that two threads have different subjects: an unwanted bridge says so."""
    first, second = sorted((store.threads.get(id_) for id_ in ids), key=lambda thread: thread.id)
    if first.id == second.id:
        problem = f"cannot keep {first.id} apart from itself."
        raise RefusedError(problem, Remedy(ThreadListLink(), "Name two threads: {}"))
    apart = Bridge(
        id=bridge_id(first.id, second.id, Relation.SIBLING),
        source=first.id,
        target=second.id,
        relation=Relation.SIBLING,
        weight=0.0,
        reason="not one subject",
        confidence=1.0,
        made_by=made_by,
        last_used=now,
        unwanted=True,
    )
    bridges = store.bridges.of(first.id, unwanted=True)
    before = next((known for known in bridges if known.id == apart.id), None)
    if before is not None and before.unwanted:
        msg = f"{first.id} and {second.id} are kept apart already. `ais log` shows since when."
        raise RefusedError(msg)
    change = Change(bridges=(BridgeEdit(before, apart),))
    sentence = f"{first.id} and {second.id} are not one subject: no merge is suggested."
    return ChangePlan(first.project, sentence, change, (first.id, second.id))


def unlink(store: ThreadStore, id_: str) -> ChangePlan:
    """Plan to remove a stored bridge."""
    bridge = _wanted_bridge(store, id_)
    ends = f"{bridge.source} no longer {bridge.relation} {bridge.target}"
    change = Change(bridges=(BridgeEdit(bridge, replace(bridge, unwanted=True)),))
    project = store.threads.get(bridge.source).project
    thread_ids = (bridge.source, bridge.target)
    return ChangePlan(project, f"Removed {bridge.id}: {ends}.", change, thread_ids)


def follow(store: ThreadStore, id_: str, now: datetime, half_life_days: float) -> ChangePlan:
    """Plan to use a stored bridge: it gains weight, and its fading starts again."""
    bridge = _wanted_bridge(store, id_)
    present = replace(bridge, weight=faded_bridge_weight(bridge, now, half_life_days))
    used = reinforced_bridge(present, now)
    sentence = f"Followed {bridge.id}: weight {present.weight:.2f} → {used.weight:.2f}."
    edits = () if used == bridge else (BridgeEdit(bridge, used),)
    project = store.threads.get(bridge.source).project
    return ChangePlan(project, sentence, Change(bridges=edits), (bridge.target, bridge.source))


def reinforced_bridge(bridge: Bridge, now: datetime) -> Bridge:
    """Return the bridge after a use: heavier, and fresh."""
    weight = bridge.weight + REINFORCED_SHARE * (1.0 - bridge.weight)
    return replace(bridge, weight=min(1.0, weight), last_used=max(bridge.last_used, now))


def faded_bridge_weight(bridge: Bridge, now: datetime, half_life_days: float) -> float:
    """Return the bridge's present weight, after its time without use."""
    return faded_weight(bridge.weight, now - bridge.last_used, timedelta(days=half_life_days))


def _wanted_bridge(store: ThreadStore, id_: str) -> Bridge:
    bridge = store.bridges.get(id_)
    if bridge.unwanted:
        msg = f"there is no bridge {bridge.id}: it was removed. `ais bridges` lists them."
        raise NotFoundError(msg)
    return bridge


def _unwanted_bridge(store: ThreadStore, bridge: Bridge) -> Bridge | None:
    """Return the removed bridge that a new one replaces; refuse to replace one in force."""
    bridges = store.bridges.of(bridge.source, unwanted=True)
    same = next((known for known in bridges if known.id == bridge.id), None)
    if same is not None and not same.unwanted:
        msg = (
            f"{bridge.source} {bridge.relation} {bridge.target} already ({same.id}, "
            f"weight {same.weight:.2f}). Run `ais bridges remove {same.id}` first to "
            "give it another weight or reason."
        )
        raise RefusedError(msg)
    return same

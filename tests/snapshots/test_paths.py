"""Every virtual path: the page that an agent reads."""

from recorded import Recording
from snapshot_surfaces import World

PATHS = (
    ".ai",
    ".ai/",
    ".ai/help",
    "/home/ana/shop/.ai/help",
    ".ai/status",
    ".ai/recall/how long does the refresh token live",
    ".ai/recall/refresh%20token?limit=2",
    ".ai/recall/Mehrwertsteuer Norwegen",
    ".ai/recall/src/auth/middleware.py",
    ".ai/recall/@s1-01",
    ".ai/recall/[@s1-01]",
    ".ai/recall/thread_2026",
    ".ai/recall/thread_20990101",
    ".ai/recall/kubernetes ingress",
    ".ai/recall/",
    ".ai/recall/ ",
    ".ai/statements",
    ".ai/statements/rule",
    ".ai/statements/the refresh token",
    ".ai/suggestions",
    ".ai/suggestions/the refresh token of the login",
    ".ai/handoff",
    ".ai/handoff/s3",
    ".ai/handoff/s99",
    ".ai/split/@s3-16",
    ".ai/split/@s1-01",
    ".ai/split/@s1-01/confirm",
    ".ai/split/@s1-01/confirm?titles=Cookie",
    ".ai/split/@s1-01/confirm?titles=Cookie&msgs_0=s2-01",
    ".ai/split/@s1-01/confirm?titles=Cookie&msgs_0=s1-04&lock=never",
    ".ai/split/@s1-01/confirm?titles=A,B&msgs_0=s1-04&msgs_1=s1-04",
    ".ai/split/@s1-01/confirm?titles=Tests%2C%20frozen,Commits&msgs_0=s1-09,s1-10&msgs_1=s1-12",
    ".ai/merge/@s1-01/@s1-09",
    ".ai/unlock/@s1-09",
    ".ai/unlock/@s1-09",
    ".ai/merge/@s1-01/@s1-09",
    ".ai/split/@s1-01/confirm?titles=Forced&msgs_0=s1-10&lock=force",
    ".ai/unlock/@s1-10",
    ".ai/merge/@s1-01/@s1-10",
    ".ai/merge/@s1-01/@s5-01",
    ".ai/merge/@s1-01/@s1-01",
    ".ai/merge/@s1-01/thread_none",
    ".ai/merge/@s1-01",
    ".ai/merge",
    ".ai/merge/a/b/c",
    ".ai/merge/a/b?force=yes",
    ".ai/split",
    ".ai/split/thread_none",
    ".ai/unlock",
    ".ai/unlock/thread_none",
    ".ai/undo",
    ".ai/Recall/x",
    ".ai/recal/x",
    "src/auth/token.py",
    ".ai/status",
)


def test_virtual_paths(shop: World, recording: Recording) -> None:
    for number, path in enumerate(PATHS):
        with shop.memory() as memory:
            page = memory.read_virtual(shop.spelled(path), "s8")
        recording.add(f"{number + 1:02} {path}", page)
    recording.add("ais log", shop.ais("log", "-n", "50").output)


def test_virtual_paths_without_a_session(room: World, recording: Recording) -> None:
    for path in (".ai/status", ".ai/recall/qemu crashes", ".ai/suggestions", ".ai/handoff"):
        with room.memory() as memory:
            recording.add(path, memory.read_virtual(path))

"""The table of pages: the address, the title and one sentence for each.

To add a page, write its module `pages/NAME_page.py`, its template, and one row here.
"""

from typing import NamedTuple

__all__ = ["PAGES", "PageEntry"]


class PageEntry(NamedTuple):
    """A page that is not imported yet: its title, and what it is for in one sentence."""

    title: str
    sentence: str


PAGES: dict[str, PageEntry] = {
    "turns": PageEntry("Turns", "What your agents were shown before each prompt, and why."),
    "holds": PageEntry("What holds", "The rules, decisions and facts that count now."),
    "threads": PageEntry("Threads", "Find a thread, read it, and put threads in order."),
    "timeline": PageEntry("Timeline", "Sessions and threads over time, coloured by client."),
    "neighbourhood": PageEntry("Neighbourhood", "A thread and the threads it is bridged to."),
    "changes": PageEntry("Changes", "Everything that was changed, by whom, and how to undo it."),
    "suggestions": PageEntry("Suggestions", "What could be merged, split, settled or put away."),
    "safety": PageEntry("Safety", "Secrets, deletion with its proof, backups, and what may leave."),
    "health": PageEntry("Health", "Hooks, daemon, backlog, sizes and settings."),
}
"""The pages by name, which is the address and, with `_page`, the module; the first opens first."""

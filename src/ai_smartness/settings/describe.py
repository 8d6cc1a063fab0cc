"""The reference page of every setting, generated from the declarations.

`scripts/reference.py` writes the page; a test says when that is due.
"""

from textwrap import fill

from ai_smartness.settings.setting import SECTIONS, SETTINGS, Setting

__all__ = ["settings_reference"]

LINE_CHARACTERS = 110

REFERENCE_OPENING = """\
# Settings

<!-- Written by `scripts/reference.py`; do not edit. -->

`ais config` lists every setting with its value and its origin. `ais config set KEY VALUE`
writes it to your own file, or with `--project` to the project's `.ai/config.toml`.
`ais config path` prints the paths of both files.

Each layer overrides the one before it: the default, your file, the project's file, the
environment. A project's file comes with a repository that someone else may have written. So a
setting that could send text elsewhere or cost you something is *yours alone*: in a project's
file it is ignored, with a warning.

`--home` or the variable `AIS_HOME` moves the memory and your file. `AIS_CACHE` moves the cache.
"""


def settings_reference() -> str:
    """Return the page as Markdown."""
    return "\n".join([REFERENCE_OPENING, *(_section_text(name) for name in SECTIONS)])


def _section_text(section: str) -> str:
    settings = (setting for setting in SETTINGS.values() if setting.section == section)
    return "\n".join([f"## {section}", "", SECTIONS[section], "", *map(_setting_entry, settings)])


def _setting_entry(setting: Setting) -> str:
    yours = "- yours alone: ignored in a project's file\n" if setting.user_only else ""
    doc = fill(setting.doc, LINE_CHARACTERS, break_long_words=False, break_on_hyphens=False)
    return (
        f"### `{setting.key}`\n\n{doc}\n\n"
        f"- default: `{setting.default}`\n"
        f"- takes: {setting.allowed_values}\n"
        f"- environment: `{setting.variable}`\n{yours}"
    )

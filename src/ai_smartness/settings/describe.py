"""The reference of every setting, written from the declarations.

`python -m ai_smartness config reference > docs/settings.md` brings the
document up to date; a test says when that is due.
"""

from collections.abc import Iterator

from ai_smartness.settings.setting import SECTIONS, SETTINGS, Setting

__all__ = ["settings_reference"]

REFERENCE_OPENING = """\
# Settings

<!-- Written by `python -m ai_smartness config reference > docs/settings.md`; do not edit. -->

`ais config` shows every setting, its value and where that comes from. `ais config set KEY VALUE`
writes it into the user's file, with `--project` into the project's `.ai/config.toml`;
`ais config path` names both.

Each layer wins over the one before it: the default, the user's file, the project's file, the
environment. A project's file comes with a repository that someone else may have written, so what
could send text elsewhere or cost you something is *yours alone*: in a project's file it is
ignored, with a warning.

`--home` or the variable `AIS_HOME` moves the memory and the user's file; `AIS_CACHE` moves the
cache.
"""


def settings_reference() -> str:
    """Write the reference as Markdown."""
    return "\n".join([REFERENCE_OPENING, *(_section_text(name) for name in SECTIONS)])


def _section_text(section: str) -> str:
    return "\n".join([f"## {section}", "", SECTIONS[section], "", *_setting_entries(section)])


def _setting_entries(section: str) -> Iterator[str]:
    for setting in SETTINGS.values():
        if setting.section == section:
            yield _setting_entry(setting)


def _setting_entry(setting: Setting) -> str:
    yours = "- yours alone: ignored in a project's file\n" if setting.user_only else ""
    return (
        f"### `{setting.key}`\n\n{setting.doc}\n\n"
        f"- default: `{setting.default}`\n"
        f"- takes: {setting.allowed_values}\n"
        f"- environment: `{setting.variable}`\n{yours}"
    )

"""What can be set, where each value comes from, and where things are kept.

Defaults, then the user's file, then the project's, then the environment: the
last one that says something wins. Every value is checked before it is used.
"""

from ai_smartness.settings.load import LoadedSettings, gather_settings, load_settings
from ai_smartness.settings.paths import MemoryPaths, cache_folder, memory_home, memory_paths
from ai_smartness.settings.schema import SETTINGS, Settings, known_setting
from ai_smartness.settings.setting import Layer, Setting, SettingOrigin, SettingValue

__all__ = [
    "SETTINGS",
    "Layer",
    "LoadedSettings",
    "MemoryPaths",
    "Setting",
    "SettingOrigin",
    "SettingValue",
    "Settings",
    "cache_folder",
    "gather_settings",
    "known_setting",
    "load_settings",
    "memory_home",
    "memory_paths",
]

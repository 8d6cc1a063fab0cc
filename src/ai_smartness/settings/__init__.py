"""What can be set, where each value comes from, and where things are kept.

Defaults, then the user's file, then the project's, then the environment: the
last one that says something wins. Every value is checked before it is used.
"""

from ai_smartness.settings.declared import SETTINGS, Settings, known
from ai_smartness.settings.load import Loaded, gathered, load
from ai_smartness.settings.places import Places, cache, home, places
from ai_smartness.settings.setting import Layer, Origin, Setting, Value

__all__ = [
    "SETTINGS",
    "Layer",
    "Loaded",
    "Origin",
    "Places",
    "Setting",
    "Settings",
    "Value",
    "cache",
    "gathered",
    "home",
    "known",
    "load",
    "places",
]

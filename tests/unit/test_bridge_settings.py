from dataclasses import asdict

from ai_smartness.describe.relations import BridgeRules
from ai_smartness.settings import Settings


def test_the_settings_of_bridges_are_the_rules_with_the_same_defaults() -> None:
    assert asdict(Settings().bridges) == asdict(BridgeRules())

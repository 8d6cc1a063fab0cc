from dataclasses import asdict

from ai_smartness.inject.select import InjectRules
from ai_smartness.settings import Settings


def test_what_injection_goes_by_without_settings_is_what_the_settings_say_by_default() -> None:
    assert asdict(Settings().inject) == asdict(InjectRules())


def test_every_setting_of_the_source_document_is_there_with_its_default() -> None:
    inject = Settings().inject

    assert inject.recent_hours == 6
    assert inject.recent_session_only is False
    assert inject.same == 0.85
    assert inject.in_sight == 100
    assert inject.most_threads == 20
    assert (inject.budget_tokens, inject.depth_turns, inject.important) == (1_500, 10, 0.8)

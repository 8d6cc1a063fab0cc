"""A recording that is made again changes where the text has changed, and nowhere else."""

from pathlib import Path

from recorded import Recording


def recorded_again(file: Path, *texts: str) -> str:
    for text in texts:
        recording = Recording(file, {}, record=True)
        recording.add("numbers", text)
        recording.check()
    return file.read_text()


def test_the_last_digits_of_numbers_stay_as_they_were_recorded(tmp_path: Path) -> None:
    text = recorded_again(
        tmp_path / "numbers.txt",
        "weight 0.830095\nid 1.500001 a",
        "weight 0.830094\nan added line\nid 1.500002 a",
    )

    assert text == "━━━ numbers\nweight 0.830095\nan added line\nid 1.500001 a\n"


def test_a_number_that_has_changed_is_recorded_anew(tmp_path: Path) -> None:
    text = recorded_again(tmp_path / "numbers.txt", "weight 0.830095", "weight 0.830295")

    assert text == "━━━ numbers\nweight 0.830295\n"

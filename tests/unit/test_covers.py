from hypothesis import given
from hypothesis import strategies as st

from ai_smartness.model.condensation import packed_seqs, unpacked_seqs


@given(st.sets(st.integers(1, 10_000)))
def test_numbers_come_back_as_they_were(seqs: set[int]) -> None:
    assert unpacked_seqs(packed_seqs(seqs)) == tuple(sorted(seqs))


def test_ten_thousand_of_one_thread_take_a_few_characters() -> None:
    assert packed_seqs(range(5, 10_005)) == "5+9999"
    assert len(packed_seqs(range(1, 20_001, 2))) < 20_001
    assert packed_seqs([5, 6, 7, 10]) == "5+2,3"

"""A message on an exported page is a quotation: nothing in it runs, and nothing is loaded."""

from collections.abc import Iterator, Sequence

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from ai_smartness.transfer.markdown_export import quoted_block

ACTIVE = [
    "<script>alert(1)</script>",
    "\\<script>alert(1)</script>",
    "![x](https://evil.example/p.png)",
    "\\![x](https://evil.example/p.png)",
    "![x][r]\n\n[r]: https://evil.example/p.png",
    "<img src=//evil.example/p.png>",
    "[a](javascript:alert(1))",
    "[a](  JavaScript:alert(1))",
    "- a\n  ```\nb\n<script>x</script>",
    "p\n    ```\n<script>x</script>",
    "```a`b\n<script>x</script>",
    "> ```\n<script>x</script>",
    "```dataviewjs\nalert(1)\n```",
]


class TrustingReader(MarkdownIt):
    """A reader that follows every address."""

    def validateLink(self, url: str) -> bool:  # noqa: N802 - the parser's own name
        return bool(url)


@given(st.lists(st.one_of(st.sampled_from(ACTIVE), st.text(max_size=6))).map("\n".join))
def test_nothing_in_a_message_runs_or_is_loaded_by_who_reads_the_page(text: str) -> None:
    parser = TrustingReader("commonmark", {"html": True})

    tokens = list(every_token(parser.parse(quoted_block(text))))

    assert not [token for token in tokens if token.type in ("html_block", "html_inline", "image")]
    links = [str(token.attrs["href"]) for token in tokens if token.type == "link_open"]
    assert not [link for link in links if link.casefold().startswith(("javascript", "data"))]
    assert "dataviewjs" not in [token.info for token in tokens]


def every_token(tokens: Sequence[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from every_token(token.children or ())

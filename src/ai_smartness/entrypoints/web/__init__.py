"""The page of `ais web`: look at the memory in a browser, on this machine alone.

`serve_page.py` starts it, `guard.py` decides who may read and change, `app.py` routes a request to
a page, `memories.py` opens the memory of its project, and `page.py` is what a page is made of.

To add a page you write three things:

1. A module `pages/NAME_page.py` with a function `show(request: PageRequest) -> Rendered`. It asks
   `request.memory` and the functions of `views/`, and returns the name of a template with its
   values. What belongs to no page, such as grouping or wording, goes to `views/`.
2. A template in `templates/` that begins with `{% extends "layout.html" %}` and fills the block
   `content`. Everything is escaped; there is no inline script and no inline style. The macros of
   `macros.html` make forms, bars, times and the link to the next page.
3. A row in `PAGES` of `page_table.py`: its address, its title and one sentence.

A module may also have

- `ACTIONS`: functions by name, called by `POST /PROJECT/PAGE/NAME`. One that returns an `Outcome`
  is answered by what it said with an undo button beside it, and the page is loaded again.
- `PARTS`: functions by name, called by `GET /PROJECT/PAGE/NAME`, which return a `Rendered`: a
  part of a page that htmx loads, or a page below this one.

`tests/web/test_pages.py` opens every row of the table, at 360 pixels and wide, in light and dark,
and asks axe about it.
"""

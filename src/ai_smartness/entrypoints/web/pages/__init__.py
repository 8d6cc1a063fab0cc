"""The pages, one module each; `page_table.py` lists them."""

"""One reader of definitions per language; `refcheck.locate.outline` chooses among them."""

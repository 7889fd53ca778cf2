"""Read-only web pages on the published warehouse. `app.py` puts them together; `pages/` has a file and a template each.

Left out: everything that writes. What a page shows is asked of the published file, and of the log only how far it is.
"""

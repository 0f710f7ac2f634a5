"""Texts made from the declarations: reference pages, the manual page, the window's calls."""

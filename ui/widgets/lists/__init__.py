"""Lists: long ones painted by hand, facets, sort menus."""

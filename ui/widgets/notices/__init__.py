"""Notices: bars over a page, the banner and toasts."""

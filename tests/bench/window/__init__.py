"""A scripted day in the window, measured while agents write and the index is built anew."""

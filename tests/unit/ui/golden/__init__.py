"""Golden pictures: parts of the window as they should look."""

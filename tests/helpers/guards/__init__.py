"""Guards of every test: each makes a test fail, or keeps it from harm."""

"""Import: a source's records are counted, batched, compared and stored, or named as left out."""

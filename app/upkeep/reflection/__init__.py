"""Weekly reflection: the digest of a week, by language model or by rules."""

"""Weekly reflection: what a week brought, by language model or by rules, with the sources of each sentence."""

"""Places where machines meet: what they keep, refuse, lose and break off."""

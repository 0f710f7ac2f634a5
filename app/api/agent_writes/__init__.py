"""Agents' writes: cleaned, guarded, reviewed, held as proposals and decided."""

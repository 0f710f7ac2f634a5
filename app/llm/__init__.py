"""Language models behind one protocol; Keepsake works without any."""

"""Import of foreign records: which became which memory, and keys that are not unique."""

"""Programs that read and write the vault: their tokens, trust and audit trail. Owns agents and audit (canonical)."""

"""Operations on the vault: backups, encryption, health, history, settings and upkeep."""

"""Operations on agents: access, inbox, ledger, quarantine, isolation and clients' settings."""

"""Health of the vault: findings with a plan and a fix that can be undone."""

"""Memories made of many: digests of observations, and weekly insights of facts."""

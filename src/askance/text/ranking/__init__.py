"""Ranking and text, pure: no clock, no chance, no network. Ties are settled by URL or by order."""

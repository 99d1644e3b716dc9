"""Embedding models: on servers, run by this program, or in a folder of the user's, as those of entailment are."""

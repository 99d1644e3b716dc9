"""What the engine needs of the world, in its own words. Errors are those of `askance.domain.errors`."""

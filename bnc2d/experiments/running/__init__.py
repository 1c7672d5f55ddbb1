"""Running the jobs: workers, limits, journal."""

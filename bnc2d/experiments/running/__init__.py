"""Running the jobs: workers, limits, journal, measures."""

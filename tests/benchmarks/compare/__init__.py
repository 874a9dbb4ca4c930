"""Our policies beside what one would install instead: `python -m tests.benchmarks.compare`."""

"""The batch: crash reports to be sorted, a service that really runs, and the truth about it."""

"""The ledger: one SQLite file that holds every call, job, vote and result of a run."""

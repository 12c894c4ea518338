"""Building: jobs are planned, items are generated and verified, the panel decides."""

"""Reports: pages, figures and text made from scores, audits and runs."""

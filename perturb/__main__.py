"""`python -m perturb`."""

from perturb.cli.entry import main

main()

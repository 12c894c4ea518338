"""`python -m perturb`."""

from perturb.cli.main import main

main()

"""Where the work of a build is done: in this process, in several on this machine, or on a Ray cluster.

An executor takes tasks and gives back their results. Whoever carries a task out keeps nothing: plan, ledger, limits
and budget stay with the process that was started, the driver.
"""

"""What runs around the work: asyncio helpers, functions of the user, the local web server, notebooks."""

"""What runs around the work: asyncio helpers, the local web server, notebooks."""

"""A Hugging Face Hub on the loopback interface, for data sets: repositories, uploads, commits, tags, downloads."""

from .repositories import Commit, Repository
from .server import Fault, LoopbackHub

__all__ = ["Commit", "Fault", "LoopbackHub", "Repository"]

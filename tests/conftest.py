"""What every test needs before it starts."""

# A build freezes the garbage collector's objects, which hides who refers to what. Hypothesis looks at that when it is
# imported, and its plugin imports it at the end of a session: have it imported before anything is frozen.
import hypothesis  # noqa: F401

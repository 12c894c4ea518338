"""What every test needs before it starts."""

# A build freezes the garbage collector's objects, which hides who refers to what. Hypothesis looks at that when it is
# imported, and its plugin imports it at the end of a session: have it imported before anything is frozen.
import signal

import hypothesis

# Tests assert no times: a loaded machine is no fault.
hypothesis.settings.register_profile("untimed", deadline=None)
hypothesis.settings.load_profile("untimed")

# A shell starts its background jobs with SIGINT ignored, and so would be the commands that tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

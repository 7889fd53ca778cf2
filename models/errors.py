"""What can go wrong, in two kinds: transient (worth a retry) and terminal (not)."""


class FlywheelError(Exception):
    """A fault that a person can mend: one line that names the thing, the value and the way out."""


class TransientError(FlywheelError):
    """The same call may succeed later: a broker out of reach, a lease that another worker holds."""


class TerminalError(FlywheelError):
    """The same call can't succeed: a bad payload, an unknown format, a home made by a newer version."""


class HeldOutData(TerminalError):
    """Training data that holds something of a private benchmark. The message names the rows."""


class BadEvent(TerminalError):
    """Bytes that are not an event of the contract. The message is the reason that the quarantine shows."""

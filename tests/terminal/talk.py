"""Runs a program as a person at a terminal does: on a pseudo terminal of so many columns, with answers."""
import fcntl
import os
import pty
import select
import struct
import termios
import time


def on_terminal(words, columns=80, answers=(), environment=None, folder=None, seconds=120):
    """(exit status, all that came to the terminal). An answer is (what is waited for, what is typed)."""
    child, terminal = pty.fork()
    if child == 0:
        if folder:
            os.chdir(folder)
        os.execvpe(words[0], words, {"TERM": "xterm", **(os.environ if environment is None else environment)})
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    seen, read, waiting, end = b"", 0, list(answers), time.monotonic() + seconds
    while time.monotonic() < end:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                piece = os.read(terminal, 1 << 16)
            except OSError:
                break
            if not piece:
                break
            seen += piece
        if waiting and (at := seen.find(waiting[0][0].encode(), read)) >= 0:
            read = at + len(waiting[0][0])
            os.write(terminal, waiting.pop(0)[1].encode())
    else:
        os.kill(child, 9)
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), seen

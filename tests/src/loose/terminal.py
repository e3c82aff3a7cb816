# Types into the terminal in which mayi asks: into what is called one's own, into what mayi has open, and into the device; by writing
# there, as input, and after it was made one's own.
import fcntl, os, termios

pid, device, root = open("terminal").read().split()
places = ["/dev/tty", device, *(f"/proc/{pid}/fd/{number}" for number in range(32))]


def typed(how):
    for place in places:
        try:
            terminal = os.open(place, os.O_RDWR | os.O_NOCTTY)
            if os.isatty(terminal):
                how(terminal)
        except OSError as error:
            print(place, error)


def own(terminal):
    fcntl.ioctl(terminal, termios.TIOCSCTTY, 1)
    fcntl.ioctl(terminal, termios.TIOCSTI, b"y")


typed(lambda terminal: os.write(terminal, b"y"))
# Root types wherever it likes.
if root == "no":
    typed(lambda terminal: fcntl.ioctl(terminal, termios.TIOCSTI, b"y"))
    if os.fork() == 0:
        os.setsid()
        typed(own)
        os._exit(0)
    os.wait()

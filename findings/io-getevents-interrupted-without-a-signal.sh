#!/usr/bin/env bash
# Packages: Debian libaio1 0.3.113-4, liburing2 2.3-3; any Python 3 with ctypes.
#
# Valid input: one thread with an AIO context and an io_uring ring. It blocks
# every signal, asks the ring for a timeout of 50 ms, and then waits in
# io_getevents(2) for one AIO event, at most 300 ms. There is no AIO event.
#
# Expected: io_getevents(2) returns 0 after 300 ms. Its manual knows EINTR only
# as "interrupted by a signal handler", and every signal is blocked.
#
# Seen (Linux 6.18): without the ring, 0 after 300 ms. With the ring, EINTR
# after 50 ms: the kernel hands the completion of the ring to the thread as
# task work, which interrupts the wait as a signal would. A wait that the
# kernel could restart is restarted; io_getevents(2) is not. After the ring was
# closed, the next wait of the thread is interrupted as well, some milliseconds
# later.
#
# Why it matters: a program that moves from libaio to io_uring, or has a
# library that uses a ring, must retry io_getevents(2) although it has no
# signal handlers. A loop that takes EINTR for the end of the run, or for an
# I/O error, ends at random.
set -euo pipefail

lacks() {
  echo "skipped: $1" >&2
  exit 77
}
command -v python3 >/dev/null || lacks 'python3 is missing'
[ "$(uname -m)" = x86_64 ] || lacks 'the paths of the libraries are those of x86_64'

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
for package in libaio1=0.3.113-4 liburing2=2.3-3; do
  apt-get download -qq "$package" >apt.log 2>&1 || lacks "$package cannot be fetched"
done
for file in *.deb; do dpkg -x "$file" root; done

cat >waits.py <<'PY'
import ctypes, glob, signal, sys, time

signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
aio = ctypes.CDLL(glob.glob("root/**/libaio.so.1*", recursive=True)[0])
uring = ctypes.CDLL(glob.glob("root/**/liburing.so.2*", recursive=True)[0])
uring.io_uring_get_sqe.restype = ctypes.c_void_p


class Time(ctypes.Structure):
    _fields_ = [("s", ctypes.c_longlong), ("ns", ctypes.c_longlong)]


def wait():
    """io_getevents(2) of an empty context: its result and its milliseconds."""
    context, events, most = ctypes.c_void_p(0), ctypes.create_string_buffer(8 * 32), Time(0, 300_000_000)
    assert aio.io_setup(8, ctypes.byref(context)) == 0
    begin = time.monotonic()
    result = aio.io_getevents(context, 1, 8, events, ctypes.byref(most))
    took_ms = (time.monotonic() - begin) * 1000
    aio.io_destroy(context)
    return result, took_ms


def beside_a_ring():
    ring, after = ctypes.create_string_buffer(1024), Time(0, 50_000_000)
    if uring.io_uring_queue_init(8, ring, 0) < 0:
        sys.exit(77)
    entry = uring.io_uring_get_sqe(ring)
    ctypes.memset(entry, 0, 64)
    ctypes.c_ubyte.from_address(entry).value = 11  # IORING_OP_TIMEOUT
    ctypes.c_int.from_address(entry + 4).value = -1
    ctypes.c_uint64.from_address(entry + 16).value = ctypes.addressof(after)
    ctypes.c_uint32.from_address(entry + 24).value = 1
    assert uring.io_uring_submit(ring) == 1
    seen = wait()
    uring.io_uring_queue_exit(ring)
    return seen


alone, beside = wait(), beside_a_ring()
print(f"alone: {alone[0]} after {alone[1]:.0f} ms; beside a ring: {beside[0]} after {beside[1]:.0f} ms")
sys.exit(0 if alone[0] == 0 and alone[1] >= 299 and beside[0] == -4 and 45 <= beside[1] < 250 else 1)
PY
python3 waits.py

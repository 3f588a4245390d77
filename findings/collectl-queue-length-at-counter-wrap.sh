#!/usr/bin/env bash
# Package: Debian 12 collectl 4.3.1-1.
#
# Valid input: a /proc/diskstats of one disk with 32 reads in flight all the
# time, each taking 32 ms. The kernel prints the milliseconds of that file as
# unsigned 32-bit numbers, so that all three wrap now and then. The file is
# mounted over the real one in a mount namespace; read time, busy time and
# weighted time wrap during the run.
#
# Expected: all rows show Wait 32 and QLen 32, or one row is missing.
#
# Seen: Wait is 32 in all rows: the wrap of the read time is handled. QLen is
# 32 except for one row, which shows more than 4,000,000. The weighted time is
# taken as the absolute difference of two readings.
#
# Why it matters: at 32 in flight the field wraps every 37 hours. The maximum
# or the mean of a day's queue length is then wrong by a factor of thousands,
# while every other column is right.
set -euo pipefail

lacks() {
  echo "skipped: $1" >&2
  exit 77
}
for tool in apt-get dpkg unshare mount perl; do
  command -v "$tool" >/dev/null || lacks "$tool is missing"
done
perl -MTime::HiRes -MGetopt::Long -e 1 2>/dev/null ||
  lacks 'perl has no Time::HiRes or no Getopt::Long'

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -qq collectl=4.3.1-1 >/dev/null 2>&1 ||
  lacks 'apt-get cannot download collectl=4.3.1-1'
dpkg -x ./*.deb root

# Keeps a line of fixed width in the file `stats`, so that a reader always
# finds a whole one. The time fields pass 2^32 seven seconds after the start.
cat >disk.pl <<'PL'
use strict; use warnings; use Time::HiRes qw(time sleep);
my $start = time;
open my $file, '+<', 'stats' or die;
my $limit = 2 ** 32;
for (;;) {
  my $ms = int((time() - $start) * 1000);
  my $reads = 1000000 + $ms;
  my $read_ms = ($limit - 32 * 7000 + 32 * $ms) % $limit;
  my $busy_ms = ($limit - 7000 + $ms) % $limit;
  sysseek $file, 0, 0;
  syswrite $file, sprintf "   8       0 sda %012d 0 %012d %010d 0 0 0 0 32 %010d %010d 0 0 0 0 0 0\n",
    $reads, $reads * 8, $read_ms, $busy_ms, $read_ms;
  sleep 0.01;
}
PL

cat >watch.sh <<'SH'
set -euo pipefail
printf '%90s\n' '' >stats
perl disk.pl &
writer=$!
trap 'kill "$writer" 2>/dev/null || true' EXIT
sleep 0.5
mount --bind stats /proc/diskstats
perl root/usr/bin/collectl -sD -i1 -c8 2>/dev/null | grep '^sda '
SH

mapped=()
unshare -m true 2>/dev/null || mapped=(-Ur)
unshare "${mapped[@]}" -m mount --bind watch.sh /proc/diskstats 2>/dev/null ||
  lacks 'no permission to mount in a mount namespace of its own'
unshare "${mapped[@]}" -m bash watch.sh >rows
# 6: wait of reads. 13: queue length.
actual=$(awk '{ print "Wait " $6, "QLen " ($13 > 4000000 ? "> 4000000" : $13) }' rows |
  LC_ALL=C sort | uniq -c | sed 's/^ *//')
cat rows
recorded='7 Wait 32 QLen 32
1 Wait 32 QLen > 4000000'
printf '%s\n' "$actual"
if [[ $actual != "$recorded" ]]; then
  printf 'changed; recorded was:\n%s\n' "$recorded" >&2
  exit 1
fi

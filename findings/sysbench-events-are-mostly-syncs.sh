#!/usr/bin/env bash
# Packages: Debian 12 sysbench 1.0.20+ds-5, with libluajit-5.1-2, libmariadb3
# and libpq5, which its program is linked with.
#
# Valid input: `sysbench fileio` with its defaults (128 files, and as it prints
# itself "calling fsync() each 100 requests"), random writes, 10,000 events.
#
# Expected: 10,000 writes and about 100 calls of fsync, so that the events and
# the latency percentiles are those of writes.
#
# Seen: each time 100 requests are done, all 128 files are synced one after the
# other, and each of these calls is an event of its own in the number of events,
# in "events/s" and in the latencies. 10,000 events are about 4,400 writes and
# 5,600 syncs, 1.28 for each write. With 16 files it is 0.16 for each write.
#
# Why it matters: a file without new data is synced in no time, and such calls
# are the majority. The median that is printed is theirs and not the disk's; two
# runs with another number of files differ in rate and percentiles on the same
# disk; and --events=N does less than half of N requests.
set -euo pipefail

lacks() {
  echo "skipped: $1" >&2
  exit 77
}
for tool in apt-get dpkg awk; do
  command -v "$tool" >/dev/null || lacks "$tool is missing"
done

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -qq sysbench=1.0.20+ds-5 libluajit-5.1-2 libmariadb3 libpq5 libaio1 >/dev/null 2>&1 ||
  lacks 'apt-get cannot download sysbench=1.0.20+ds-5 and its libraries'
for package in ./*.deb; do dpkg -x "$package" root; done
export LD_LIBRARY_PATH=$dir/root/usr/lib/$(uname -m)-linux-gnu
root/usr/bin/sysbench --version >/dev/null || lacks 'the program does not start: a library is missing'
mkdir data
cd data

# syncs FILES: how many syncs there are for each write, and how many of the events are writes.
syncs() {
  "$dir/root/usr/bin/sysbench" fileio --file-total-size=128M --file-num="$1" prepare >/dev/null
  "$dir/root/usr/bin/sysbench" fileio --file-total-size=128M --file-num="$1" --file-test-mode=rndwr --events=10000 --time=0 run >out
  "$dir/root/usr/bin/sysbench" fileio --file-total-size=128M --file-num="$1" cleanup >/dev/null
  awk '/writes\/s:/ { writes = $2 } /fsyncs\/s:/ { syncs = $2 } /total number of events:/ { events = $NF }
    END { printf "%.2f %.0f\n", syncs / writes, events * writes / (writes + syncs) }' out
}

read -r many writes < <(syncs 128) || lacks 'sysbench could not run'
read -r few _ < <(syncs 16) || lacks 'sysbench could not run'
echo "128 files: $many syncs for each write, $writes of 10000 events are writes; 16 files: $few"
awk -v many="$many" -v few="$few" -v writes="$writes" 'BEGIN { exit !(many > 1.2 && many < 1.4 && few > 0.13 && few < 0.2 && writes > 4000 && writes < 4800) }'

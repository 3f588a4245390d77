#!/usr/bin/env bash
# Packages: Debian 12 dstat 0.7.4-6.1, python3-six 1.16.0-4.
#
# Valid input: a /proc/diskstats with one disk and its only partition, both
# reading 800 KiB/s, as the kernel shows any disk whose I/O goes to a partition.
# The file is mounted over the real one in a mount namespace.
#
# Expected: the "total" column equals the column of the disk, for every disk.
#
# Seen: it does for sda with sda1, vda with vda1. For nvme0n1 with nvme0n1p1,
# mmcblk0 with mmcblk0p1 and xvda with xvda1 the total is exactly twice the
# disk. The total adds up all names except those of a pattern, and that
# pattern does not cover these partitions.
#
# Why it matters: "total" is the default of `dstat` and `dstat -d`. An NVMe
# drive with a partition table seems to deliver twice its bandwidth, the same
# drive without partitions does not.
set -euo pipefail

lacks() {
  echo "skipped: $1" >&2
  exit 77
}
for tool in apt-get dpkg unshare mount python3; do
  command -v "$tool" >/dev/null || lacks "$tool is missing"
done
python=$(command -v /usr/bin/python3 || command -v python3)
"$python" -W ignore -c 'import imp' 2>/dev/null ||
  lacks 'this dstat needs a Python older than 3.12'

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -qq dstat=0.7.4-6.1 python3-six=1.16.0-4 >/dev/null 2>&1 ||
  lacks 'apt-get cannot download dstat=0.7.4-6.1 and python3-six=1.16.0-4'
for package in ./*.deb; do dpkg -x "$package" root; done

# Prints the counters of disk $1 and partition $2 after $3 seconds. Fields have
# a fixed width: a reader always finds a whole file.
counters() {
  local reads=$((100 * $3))
  local name
  for name in "$1" "$2"; do
    printf '   8       0 %s %012d 0 %015d %012d 0 0 0 0 0 %012d %012d 0 0 0 0 0 0\n' \
      "$name" "$reads" $((reads * 8)) "$reads" "$reads" "$reads"
  done
}
export -f counters

# Prints total / disk for the second row of dstat: one full interval.
cat >ratio.sh <<'SH'
set -euo pipefail
disk=$1 partition=$2 python=$3
counters "$disk" "$partition" 1000 >"stats.$disk"
mount --bind "stats.$disk" /proc/diskstats
{
  for ((second = 1001; second < 1030; second++)); do
    sleep 0.5
    counters "$disk" "$partition" "$second" 1<>"stats.$disk"
  done
} &
writer=$!
trap 'kill "$writer" 2>/dev/null || true' EXIT
PYTHONPATH=root/usr/lib/python3/dist-packages "$python" -W ignore \
  root/usr/share/dstat/dstat.py --disk -D "total,$disk" --nocolor --noupdate \
  1 2 >"rows.$disk" 2>"err.$disk" || true
# A row: "1600k    0 : 800k    0 ", reads and writes of the total, then the disk.
awk 'function number(text) { sub(/k/, "", text); return text + 0 }
  /^ *[0-9]+k +0 *:/ { split($0, half, ":"); total = number(half[1]); disk = number(half[2]) }
  END { if (disk > 0) printf "%.1f\n", total / disk; else print "no reads" }' \
  "rows.$disk"
SH

mapped=()
unshare -m true 2>/dev/null || mapped=(-Ur)
unshare "${mapped[@]}" -m mount --bind ratio.sh /proc/diskstats 2>/dev/null ||
  lacks 'no permission to mount in a mount namespace of its own'

actual=$(
  for pair in sda:sda1 vda:vda1 nvme0n1:nvme0n1p1 mmcblk0:mmcblk0p1 xvda:xvda1; do
    printf '%s total/disk ' "${pair%:*}"
    unshare "${mapped[@]}" -m bash ratio.sh "${pair%:*}" "${pair#*:}" "$python"
  done
)
recorded='sda total/disk 1.0
vda total/disk 1.0
nvme0n1 total/disk 2.0
mmcblk0 total/disk 2.0
xvda total/disk 2.0'
printf '%s\n' "$actual"
if [[ $actual != "$recorded" ]]; then
  printf 'changed; recorded was:\n%s\n' "$recorded" >&2
  exit 1
fi

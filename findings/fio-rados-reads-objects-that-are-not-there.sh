#!/usr/bin/env bash
# Packages: Debian 12 fio 3.33-3 and Ceph 16.2.15+ds-0+deb12u2, with the
# libraries that they are linked with.
#
# Valid input: random reads of 4 KiB by `ioengine=rados` from a cluster of one
# monitor and one OSD, which keeps its objects in memory. With
# `touch_objects=0`, which the manual offers because the touch affects Ceph's
# caches, the object does not exist. With the default, fio creates an empty
# object first.
#
# Expected: the first job ends with an error (ENOENT), as `rados get` does. The
# second has short reads: an error, or fewer bytes than it asked for.
#
# Seen: both jobs report 256 reads, 1 MiB, error 0 and exit status 0. In the
# first, the OSD gets 256 messages and refuses each one: it counts no read. In
# the second, it counts 256 reads, with no byte of data. The engine does not
# look at what a read returns.
#
# Why it matters: a read test without an earlier write test, or with a wrong
# name, gives the rate at which the OSD looks up a name, and the report has it
# as the rate of the storage.
set -euo pipefail

lacks() {
  echo "skipped: $1" >&2
  exit 77
}
for tool in apt-get dpkg python3; do
  command -v "$tool" >/dev/null || lacks "$tool is missing"
done

dir=$(mktemp -d -p /var/tmp)
servers=()
stop() {
  for server in "${servers[@]}"; do
    { kill -KILL "$server"; wait "$server"; } || true
  done 2>/dev/null
  rm -rf "$dir"
}
trap stop EXIT
trap 'exit 130' INT TERM
cd "$dir"
packages=(fio=3.33-3)
for package in ceph-base ceph-common ceph-mon ceph-osd librados2 libradosstriper1 librbd1 python3-ceph-argparse python3-rados; do
  packages+=("$package=16.2.15+ds-0+deb12u2")
done
apt-get download -qq "${packages[@]}" libaio1 libargon2-1 libboost-iostreams1.74.0 libboost-program-options1.74.0 libboost-thread1.74.0 libcryptsetup12 \
  libdaxctl1 libdevmapper1.02.1 libfmt9 libfuse2 libgfapi0 libgfrpc0 libgfxdr0 libglusterfs0 libibverbs1 libicu72 libjson-c5 libkmod2 libleveldb1d libnbd0 \
  libncurses6 libndctl6 libnl-3-200 libnl-route-3-200 libnuma1 liboath0 libpmem1 libpmemblk1 librdmacm1 libsnappy1v5 libxml2 \
  python3-prettytable python3-wcwidth >/dev/null 2>&1 ||
  lacks 'apt-get cannot download fio=3.33-3, Ceph 16.2.15+ds-0+deb12u2 and their libraries'
for package in ./*.deb; do dpkg -x "$package" root; done
machine=$(uname -m)
libraries=$dir/root/usr/lib/$machine-linux-gnu
export LD_LIBRARY_PATH=$libraries:$libraries/ceph:$dir/root/lib/$machine-linux-gnu
export PYTHONPATH=$dir/root/usr/lib/python3/dist-packages
unset CEPH_ARGS CEPH_KEYRING
export CEPH_CONF=$dir/ceph.conf
for program in fio ceph-mon ceph-osd rados; do
  "root/usr/bin/$program" --version >/dev/null 2>&1 || lacks "$program does not start: a library is missing"
done

# ceph COMMAND...: Debian's command, which is a program for Python 3.11.
ceph() {
  timeout --foreground 60 python3 root/usr/bin/ceph "$@"
}
ceph --version >/dev/null 2>&1 || lacks 'ceph does not start: Python is not 3.11'

fsid=$(python3 -c 'import uuid; print(uuid.uuid4())')
ports=$(python3 -c 'import socket; s = [socket.create_server(("127.0.0.1", 0)) for _ in "12"]; print(*(x.getsockname()[1] for x in s))')
monitor="[v2:127.0.0.1:${ports% *},v1:127.0.0.1:${ports#* }]"
cat >ceph.conf <<CONFIG
[global]
fsid = $fsid
mon_host = $monitor
public_addr = 127.0.0.1
cluster_addr = 127.0.0.1
auth_cluster_required = none
auth_service_required = none
auth_client_required = none
run_dir = $dir
mon_allow_pool_size_one = true
osd_pool_default_size = 1
osd_pool_default_pg_autoscale_mode = off
osd_crush_chooseleaf_type = 0
plugin_dir = $libraries/ceph
erasure_code_dir = $libraries/ceph/erasure-code
[mon]
mon_data = $dir/mon
mon_cluster_log_file = $dir/cluster.log
admin_socket = $dir/mon.asok
log_file = $dir/mon.log
[osd]
osd_data = $dir/osd
osd_objectstore = memstore
osd_class_dir = $libraries/rados-classes
admin_socket = $dir/osd.asok
log_file = $dir/osd.log
CONFIG
mkdir osd
{
  root/usr/bin/monmaptool --create --addv a "$monitor" --fsid "$fsid" monmap && root/usr/bin/ceph-mon -i a --mkfs --monmap monmap
} >set-up.txt 2>&1 || lacks "the monitor's data cannot be made: $(tail -n 1 set-up.txt)"
root/usr/bin/ceph-mon -i a -f >/dev/null 2>&1 &
servers+=($!)
ceph osd new "$fsid" >set-up.txt 2>&1 || lacks "the monitor does not answer: $(tail -n 1 set-up.txt)"
root/usr/bin/ceph-osd -i 0 --mkfs --osd-uuid "$fsid" >set-up.txt 2>&1 || lacks "the OSD's data cannot be made: $(tail -n 1 set-up.txt)"
root/usr/bin/ceph-osd -i 0 -f >/dev/null 2>&1 &
servers+=($!)
{
  ceph osd pool create p 8 && timeout --foreground 60 root/usr/bin/rados -p p put ready /dev/null
} >set-up.txt 2>&1 || lacks "the OSD does not answer: $(tail -n 1 set-up.txt)"

# job NAME OPTION...: reads of an object of that name, between two copies of the OSD's counters.
job() {
  ceph --admin-daemon osd.asok perf dump >"$1.before"
  root/usr/bin/fio --name=t --ioengine=rados --pool=p --conf="$CEPH_CONF" --rw=randread --bs=4k --size=1m --filename="$1" --thread "${@:2}" \
    --output-format=json --output="$1.json" || { echo "fio's exit status is no longer 0"; exit 1; }
  ceph --admin-daemon osd.asok perf dump >"$1.after"
}

found=no
root/usr/bin/rados -p p get absent - >/dev/null 2>rados.txt && found=yes
echo "rados get: $(tail -n 1 rados.txt)"
job absent --touch_objects=0
job empty
[ $found = no ] || { echo 'rados get no longer refuses an object that is not there'; exit 1; }
python3 - <<'PYTHON'
import json
import sys


def seen(name):
    text = open(f"{name}.json").read()
    job = json.loads(text[text.index("{"):])["jobs"][0]
    before, after = (json.load(open(f"{name}.{when}")) for when in ("before", "after"))
    reads, data = (after["osd"][key] - before["osd"][key] for key in ("op_r", "op_r_out_bytes"))
    messages = after["throttle-osd_client_messages"]["get"] - before["throttle-osd_client_messages"]["get"]
    print(f"{name}: fio: {job['read']['total_ios']} reads, {job['read']['io_bytes']} bytes, error {job['error']}; "
          f"OSD: {messages} messages, {reads} reads, {data} bytes")
    return job["error"], job["read"]["total_ios"], job["read"]["io_bytes"], reads, data


absent, empty = seen("absent"), seen("empty")
if absent != (0, 256, 1 << 20, 0, 0):
    sys.exit("reads of an object that does not exist are no longer reported as reads of data")
if empty != (0, 256, 1 << 20, 256, 0):
    sys.exit("reads of an empty object are no longer reported as reads of data")
PYTHON

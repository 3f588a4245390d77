#!/usr/bin/env bash
# Packages: Debian 12 fio 3.33-3 and Ceph 16.2.15+ds-0+deb12u2, with the
# libraries that they are linked with.
#
# Valid input: writes of 4 KiB by `ioengine=rbd` to an image of 2 MiB, one at a
# time (`iodepth=1`, the default) and with `sync=1`. The cluster has one monitor
# and one OSD, which keeps its objects in memory.
#
# Expected: a write ends when the OSD has it, as with O_SYNC, which is what the
# manual has for `sync=1` and most engines. The next write begins after that, so
# the OSD counts 512 writes, as many as fio reports.
#
# Seen: fio reports 512 writes, and the OSD counts fewer (36 to 296 were seen), with
# all of the bytes. librbd's cache (policy writearound, the default) ends a write before
# the OSD has it, and librbd merges the writes that wait. The engine does not use
# `sync`, and says nothing. With `rbd_cache=false` in Ceph's configuration, the
# OSD counts 512.
#
# Why it matters: the latency of a "synchronous write" is that of a copy in
# memory, and the IOPS are not those of the cluster.
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
for program in fio ceph-mon ceph-osd rbd; do
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
  ceph osd pool create p 8 && timeout --foreground 60 root/usr/bin/rbd create --pool p --size 2M --image-feature layering image
} >set-up.txt 2>&1 || lacks "the OSD does not answer: $(tail -n 1 set-up.txt)"

# job NAME CEPH_ARGS: synchronous writes of the whole image, between two copies of the OSD's counters.
job() {
  ceph --admin-daemon osd.asok perf dump osd >"$1.before"
  CEPH_ARGS=$2 root/usr/bin/fio --name=t --ioengine=rbd --pool=p --rbdname=image --rw=write --bs=4k --iodepth=1 --sync=1 \
    --output-format=json --output="$1.json" || { echo "fio's exit status is no longer 0"; exit 1; }
  ceph --admin-daemon osd.asok perf dump osd >"$1.after"
}

job default ''
job uncached --rbd_cache=false
python3 - <<'PYTHON'
import json
import sys


def seen(name):
    text = open(f"{name}.json").read()
    job = json.loads(text[text.index("{"):])["jobs"][0]
    before, after = (json.load(open(f"{name}.{when}"))["osd"] for when in ("before", "after"))
    writes, data = (after[key] - before[key] for key in ("op_w", "op_w_in_bytes"))
    print(f"{name}: fio: {job['write']['total_ios']} writes, {job['write']['io_bytes']} bytes, error {job['error']}; OSD: {writes} writes, {data} bytes")
    if (job["error"], job["write"]["total_ios"]) != (0, 512) or data < 2 << 20:
        sys.exit("fio no longer writes the whole image")
    return writes


default, uncached = seen("default"), seen("uncached")
if uncached < 512:
    sys.exit("without librbd's cache, the OSD no longer counts all writes")
if default >= 512:
    sys.exit("with sync=1, the OSD now counts all writes")
PYTHON

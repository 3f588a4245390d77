"""Ten thousand job files drawn from fio 3.33's own option rows (names, ranges and values of its --cmdhelp), always the same ones.

A row is an option and values of it; `!` marks one that fio refuses by itself, which is drawn seldom. Left out is what runs programs, replays, needs a cgroup or another
file. random_verdicts.txt has what Debian's fio says of each (its exit status under --parse-only), a bit a job, and the digest of all texts.
FATHOM_WRITE_VERDICTS=1 python3 tests/compat/verdicts_test.py 10000 asks Debian's fio again.
"""
import hashlib
import pathlib

COUNT = 10000
GOLDEN = pathlib.Path(__file__).with_name("random_verdicts.txt")
TABLE = r"""
allow_file_create 0 1 !2
allow_mounted_write 0 1
allrandrepeat 0 1 !2
atomic 0 1 !2
ba 512 4k 8k,4k
block_error_percentiles 0 1
bs 512 4k 4k,8k 16k,,4k 64k 1m 1000 !0 4x
bs_unaligned 0 1
bsrange 1k-4k 4k-64k 512-1m,4k-8k 8k-4k !4k
bssplit 4k/50:8k/50 4k/10:64k/90,8k/100 1k/:2k/ 4k/50:8k 512/30:4k/80
buffer_compress_chunk 0 1 16 100
buffer_compress_percentage 0 50 100 !101
buffer_pattern 0xff "abc" 17 0xdeadbeef 0xabc
buffered 0 1 !2
bwavgtime 0 1 16 100
clat_percentiles 0 1 !2
clocksource gettimeofday clock_gettime cpu !x
continue_on_error none read write all 0 1 io verify !x
cpumask 1 3
cpus_allowed 0 0-1 0,1 9999 x
cpus_allowed_policy shared split !x
create_fsync 0 1 !2
create_on_open 0 1 !2
create_only 0 1 !2
create_serialize 0 1 !2
dedupe_global 0 1 !2
dedupe_mode repeat working_set !x
dedupe_percentage 0 50 100 !101
dedupe_working_set_percentage 5 50
description words other
direct 0 1 !2
directory /tmp
disable_bw_measurement 0 1 !2
disable_clat 0 1 !2
disable_lat 0 1 !2
disable_slat 0 1 !2
disk_util 0 1 !2
do_verify 0 1 !2
end_fsync 0 1 !2
error_dump 0 1 !2
exec_postrun true
exec_prerun true
exit_what group stonewall all !x
exitall 0 1 2
exitall_on_error 0 1 2
experimental_verify 0 1 !2
fadvise_hint 0 1 random sequential !x
fallocate none native posix keep truncate 0 1 !x
fdatasync 0 1 16 100
file_append 0 1 !2
file_service_type roundrobin random sequential random:4 zipf:1.2 normal !x
filename_format $jobname.$filenum f.$jobnum.$filenum x
filesize 4k 1m 4k-64k 1k-1m
fill_device 0 1 !2
flow 0 1 8
flow_id 0 1
flow_sleep 0 1000
fsync 0 1 16 100
fsync_on_close 0 1 !2
group_reporting 0 1 2
gtod_cpu 0
gtod_reduce 0 1 !2
hugepage-size 2m 4m
ignore_error EIO EIO:ENOSPC,,5 ,EIO
invalidate 0 1 !2
io_size 4k 1m 2g 50% 10%
io_submit_mode inline offload !x
iodepth 1 16 128 !0
iodepth_batch 0 1 16 100
iodepth_batch_complete_max 0 1 16 100
iodepth_batch_complete_min 0 1 16 100
iodepth_low 0 1 16 100
ioengine psync sync pvsync pvsync2 vsync null libaio io_uring mmap posixaio splice falloc ftruncate psink
iopsavgtime 0 1 16 100
kb_base 1024 1000 !999
lat_percentiles 0 1 !2
latency_percentile 50 99.9 100 !101
latency_run 0 1 !2
latency_target 0 10ms 100us
latency_window 0 1s 10ms
lockfile none exclusive readwrite
lockmem 0 1m
log_alternate_epoch 0 1 !2
log_alternate_epoch_clock_id 0 1
log_avg_msec 0 1 16 100
log_compression 1024 64k !10
log_entries 1024 4096 !10
log_hist_coarseness 0 3 6
log_hist_msec 0 1 16 100
log_max_value 0 1 !2
log_offset 0 1 !2
log_prio 0 1 !2
log_store_compressed 0 1 !2
log_unix_epoch 0 1 !2
loops 1 3 0
max_latency 0 10ms 1s
mem malloc shm mmap mmapshared !x
new_group 0 1 2
nice -20 0 5 19 !20
norandommap 0 1 2
nrfiles 1 4 100 0
numa_cpu_nodes 0 all
numa_mem_policy default local bind:0 prefer:0 interleave:0 x
number_ios 0 1 100 10k
numjobs 1 2 16 0
offset 0 4k 1m 10% 50%
offset_align 0 4k 8k
offset_increment 0 4k 1m 5%
openfiles 1 4 0
overwrite 0 1 !2
per_job_logs 0 1 !2
percentage_random 0 50 100 10,20 !101 0,100,50
percentile_list 50 99:99.9 1:5:10 50:99:99.99 !101 !a
pre_read 0 1 !2
prio 0 4 7 !8
prioclass 0 1 2 3 !4
ramp_time 0 1s 500ms 10 2m
random_distribution random zipf zipf:1.2 zipf:0.8:0.3 !zipf:1 pareto pareto:0.2 !pareto:2 normal:10 !normal:120 zoned:50/5:50/95 !zoned:50/5:40/95 zoned_abs:50/1m:50/2m !zipf:abc
random_generator tausworthe lfsr tausworthe64 !x
randrepeat 0 1 !2
randseed 1 7 12345
rate 0 1m 100k,1m ,2m 4k 1m,,2m !x
rate_cycle 0 1 16 100
rate_ignore_thinktime 0 1 !2
rate_iops 0 100 100,50 ,10 1k
rate_iops_min 0 10 10,5
rate_min 0 1k 1k,2k
rate_process linear poisson !x
refill_buffers 0 1 2
runtime 0 1s 500ms 10 2m
rw read write randread randwrite rw randrw readwrite trim trimwrite randtrim read:4k write:-4k randread:8 randwrite:2 !read:x randread:0 !readwrites
rw_sequencer sequential identical !x
rwmixread 0 30 70 100 !101
rwmixwrite 0 30 70 100 !101
scramble_buffers 0 1 !2
serialize_overlap 0 1 !2
significant_figures 1 4 10 !11 !0
size 64k 1m 10% 50% 1g 0 100%
slat_percentiles 0 1 !2
startdelay 0 1 500ms 1-3 2s 1h
stats 0 1 !2
steadystate iops:1% iops_slope:0.3% bw:10% bw_slope:5 !iops !x
steadystate_duration 0 10 5m
steadystate_ramp_time 0 5
stonewall 0 1 2
sync none 0 sync 1 dsync !x
sync_file_range write:8 wait_before:4 wait_before,write:2 !x
thinktime 0 10 1ms 1s 100us
thinktime_blocks 0 1 16 100
thinktime_blocks_type complete issue !x
thinktime_iotime 0 1s
thinktime_spin 0 10 1ms
thread 0 1 2
time_based 0 1 2
unified_rw_reporting none mixed both 0 1 2 !x
unique_filename 0 1 !2
unit_base 0 8 1 !2
unlink 0 1 !2
unlink_each_loop 0 1 !2
verify 0 md5 crc32c sha1 null meta !x
verify_async 0 1 16 100
verify_backlog 0 16 1024
verify_backlog_batch 0 1 16 100
verify_dump 0 1 !2
verify_fatal 0 1 !2
verify_interval 512 4k
verify_offset !0 64
verify_only 0
verify_pattern 0xff "abc" 17 0xdeadbeef
write_barrier 0 1 16 100
write_bw_log p
write_hint none short medium long extreme !x
write_hist_log p
write_iops_log p
write_lat_log p
zero_buffers 0 1 2
zonecapacity 0 1m
zonemode none strided
zonerange 0 1m
zonesize 0 1m 64k
zoneskip 0 1m
"""
ROWS = [(row.split()[0], row.split()[1:]) for row in TABLE.strip().split("\n")]
# What most jobs have, so that the rest means something.
USUAL = ("rw", "bs", "ioengine", "iodepth", "direct", "numjobs", "runtime", "size")


class Draw:
    """A generator of our own: Python's may change."""

    def __init__(self, seed):
        self.state = (seed + 1) * 0x9E3779B97F4A7C15 & (1 << 64) - 1

    def below(self, n):
        self.state ^= self.state >> 12
        self.state = (self.state ^ self.state << 25) & (1 << 64) - 1
        self.state ^= self.state >> 27
        return ((self.state * 0x2545F4914F6CDD1D & (1 << 64) - 1) >> 33) % n


def value_of(values, draw):
    good, bad = [v for v in values if v[0] != "!"], [v[1:] for v in values if v[0] == "!"]
    if bad and draw.below(100) == 0:
        return bad[draw.below(len(bad))]
    return good[draw.below(len(good))]


def job(number, section="j"):
    draw, table = Draw(number), dict(ROWS)
    chosen = {name: table[name] for name in USUAL if draw.below(2)}
    for _ in range(1 + draw.below(5)):
        name, values = ROWS[draw.below(len(ROWS))]
        chosen[name] = values
    lines = [f"{name}={value_of(values, draw)}" for name, values in chosen.items()]
    return f"[{section}]\nfilename=/tmp/target\n" + ("" if "size" in chosen else "size=1m\n") + "\n".join(lines) + "\n"


def digest():
    return hashlib.sha256("".join(job(n) for n in range(COUNT)).encode()).hexdigest()


def golden():
    """(digest, [True where fio accepts])."""
    rows = [row for row in GOLDEN.read_text().split("\n") if row and not row.startswith("#")]
    bits = "".join(f"{int(row, 16):0{4 * len(row)}b}" for row in rows[1:])
    return rows[0], [bit == "1" for bit in bits[:COUNT]]


def write_golden(verdicts):
    bits = "".join("1" if v else "0" for v in verdicts)
    lines = [f"{int(bits[at:at + 500], 2):0125x}" for at in range(0, COUNT, 500)]
    GOLDEN.write_text("# What Debian's fio 3.33 says of the jobs of random_jobs.py, four a digit (1: it takes the job); first their digest.\n" + digest() + "\n" + "\n".join(lines) + "\n")

"""More jobs for counts_test.py, by families: one row of a table is a job of each engine, mode, size or option value. Jobs of options that fathom may still
refuse say so (`coming`), and are compared as soon as it takes them.
"""
from jobs import A, Job, j

F = "filename=f"
CALLS = ("sync", "psync", "pvsync", "pvsync2", "mmap")
QUEUES = ("libaio", "io_uring")
FOUR = {"f": "4m"}


def coming(name, *args, **kwargs):
    return Job(name, *args, coming=True, **kwargs)


def engines():
    for engine in (*CALLS, *QUEUES):
        for mode in ("read", "randwrite"):
            yield coming(f"{engine} {mode} 16k", j(f"ioengine={engine}\nrw={mode}\nbs=16k\n{F}", "size=1m\n"), A)
        yield coming(f"{engine} rw", j(f"ioengine={engine}\nrw=rw\n{F}"), A, mix=0.5)
    for engine in QUEUES:
        for depth in (1, 3, 32, 256):
            yield Job(f"{engine} depth {depth}", j(f"ioengine={engine}\niodepth={depth}\nrw=randwrite\ndirect=1\n{F}"), A)
        for batch, complete in ((4, 1), (16, 16), (1, 8)):
            yield Job(f"{engine} batch {batch}/{complete}",
                      j(f"ioengine={engine}\niodepth=16\niodepth_batch={batch}\niodepth_batch_complete_min={complete}\nrw=randread\ndirect=1\n{F}"), A)
        yield Job(f"{engine} in two files", j(f"ioengine={engine}\niodepth=8\nnrfiles=2\nrw=randwrite\ndirect=1"))
        yield Job(f"{engine} fsync", j(f"ioengine={engine}\niodepth=4\nfsync=8\nrw=write\n{F}"), loose={"sync": 2.0})  # fio counts one that had to wait again
    for engine in ("vsync", "posixaio", "splice"):
        for mode in ("read", "write", "randread"):
            yield coming(f"{engine} {mode}", j(f"ioengine={engine}\nrw={mode}\n{F}"), A)
    for engine, mode in (("filecreate", "write"), ("filestat", "read"), ("filedelete", "write")):
        yield coming(f"{engine}", j(f"ioengine={engine}\nrw={mode}\nnrfiles=20\nfilesize=4k\ncreate_on_open={int(engine == 'filecreate')}\nopenfiles=1", ""),
                     loose={"ios": 1e9, "bytes": 1e9})
    yield coming("falloc write", j(f"ioengine=falloc\nrw=write\n{F}"), allocated=True)
    yield coming("ftruncate write", j(f"ioengine=ftruncate\nrw=write\n{F}"))


def sizes():
    for bs in ("512", "1k", "1000", "2k", "8k", "32k", "128k", "256k", "1m"):
        yield Job(f"bs={bs} read", j(f"rw=read\nbs={bs}\n{F}", "size=1m\n"), A)
        yield Job(f"bs={bs} randwrite", j(f"rw=randwrite\nbs={bs}\n{F}", "size=1m\n"))
    for size in ("4k", "4097", "10000", "333k", "1m"):
        yield Job(f"size={size} write", j(f"rw=write\nsize={size}\nbs=4k\n{F}", ""))
        yield Job(f"size={size} randread of a larger file", j(f"rw=randread\nsize={size}\nbs=4k\n{F}", ""), A)
    for bs, size in (("3k", "99k"), ("5000", "1000000"), ("6k", "100k")):
        yield Job(f"bs={bs} in {size}", j(f"rw=write\nbs={bs}\nsize={size}\n{F}", ""))
    for part in ("1%", "33%", "99%", "100%"):
        yield Job(f"size={part}", j(f"rw=read\nsize={part}\nbs=4k\n{F}", ""), A)
    for offset in ("0", "4k", "10%", "1020k"):
        yield Job(f"offset={offset} to the end", j(f"rw=read\noffset={offset}\nbs=4k\n{F}", ""), A)
    for io_size in ("4k", "100k", "1m", "1100k", "2m"):
        yield Job(f"io_size={io_size} of 1m", j(f"rw=randwrite\nio_size={io_size}\n{F}"))


def orders():
    for n in (1, 2, 16):
        yield Job(f"randread:{n}", j(f"rw=randread:{n}\n{F}"), A)
    for jump in ("4k", "-4k", "12k", "64k"):
        start = "\noffset=512k\nsize=256k" if jump.startswith("-") else "\nsize=256k"
        yield Job(f"write:{jump}", j(f"rw=write:{jump}{start}\nbs=4k\n{F}", ""), A)
    for theta in ("zipf:0.8", "pareto:0.3", "normal:20", "zoned_abs:50/256k:50/768k"):
        yield Job(f"random_distribution={theta}", j(f"rw=randread\nrandom_distribution={theta}\n{F}"), A)
    for extra in ("randrepeat=0", "allrandrepeat=1", "randseed=7", "norandommap=1", "bs_unaligned"):
        yield Job(f"randwrite {extra}", j(f"rw=randwrite\n{extra}\n{F}"))
    for extra in ("random_generator=lfsr", "random_generator=tausworthe64", "softrandommap=1", "percentage_random=0", "percentage_random=100",
                  "random_distribution=sequence", "bs_is_seq_rand=1", "offset_align=8k\noffset=16k"):
        yield coming(f"randread {extra}".replace("\n", " "), j(f"rw=randread\n{extra}\n{F}"), A)
    yield coming("zonemode=strided", j(f"rw=read\nzonemode=strided\nzonesize=64k\nzoneskip=64k\nsize=512k\nbs=4k\n{F}", ""), A)
    yield coming("num_range", j(f"rw=trim\nnum_range=2\n{F}"), A, refused=True)


def files():
    for n in (1, 2, 7):
        yield Job(f"nrfiles={n} read", j(f"rw=read\nnrfiles={n}"))
        yield Job(f"nrfiles={n} randwrite numjobs=2", j(f"rw=randwrite\nnrfiles={n}\nnumjobs=2", "size=512k\nbs=4k\n"))
    yield Job("filesize and nrfiles", j("rw=write\nnrfiles=4\nfilesize=64k\nbs=4k", ""))
    yield Job("filesize smaller than size", j("rw=write\nfilesize=256k\nsize=256k\nbs=4k", ""))
    for value in ("sequential", "random", "roundrobin:4"):
        yield coming(f"file_service_type={value}", j(f"rw=write\nnrfiles=4\nfile_service_type={value}"))
    for extra in ("openfiles=1", "openfiles=2"):
        yield coming(f"nrfiles=6 {extra}", j(f"rw=write\nnrfiles=6\n{extra}", "size=960k\nbs=4k\n"))
    for extra in ("fsync_on_close=1", "create_on_open=1", "create_serialize=0", "create_fsync=0", "pre_read=1", "unlink_each_loop=1\nloops=2", "lockfile=readwrite",
                  "lockfile=exclusive", "unique_filename=0", "write_barrier=8", "sync_file_range=write:4", "file_append=1", "fill_device=1", "fadvise_hint=0",
                  "write_hint=short"):
        yield coming(f"write {extra}".replace("\n", " "), j(f"rw=write\n{extra}\n{F}", "size=256k\nbs=4k\n"), loose={"sync": 1e9, "short": 1e9})
    yield coming("file_append to a file", j(f"rw=write\nfile_append=1\n{F}", "size=128k\nbs=4k\n"), A)
    yield Job("two jobs, one file", f"[global]\nsize=256k\n{F}\n[a]\nrw=write\n[b]\nrw=randwrite\n")
    yield Job("deep directory", j("rw=write\ndirectory=sub/deeper"), {"sub/deeper/": None})
    yield Job("unlink of many", j("rw=write\nnrfiles=4\nunlink=1"))
    yield Job("name= in a section, files are named after the section", j("name=other\nrw=write", "size=64k\nbs=4k\n"))
    yield Job("filename_format with a job's number", j("rw=write\nnumjobs=2\nfilename_format=x.$jobnum.$filenum", "size=64k\nbs=4k\n"))


def syncs():
    for n in (1, 3, 100, 1000):
        yield Job(f"fsync={n}", j(f"rw=write\nfsync={n}\n{F}", "size=256k\nbs=4k\n"))
    for extra in ("end_fsync=1\nfsync=16", "sync=sync", "sync=dsync", "sync=0", "fsync=4\nnumjobs=2"):
        yield Job(f"write {extra}".replace("\n", " "), j(f"rw=write\n{extra}", "size=128k\nbs=4k\n"))


def several():
    for n in (2, 5):
        for extra in ("", "\nthread", "\ngroup_reporting", "\nthread\ngroup_reporting"):
            yield Job(f"numjobs={n}{extra}".replace("\n", " "), j(f"rw=randwrite\nnumjobs={n}{extra}", "size=128k\nbs=4k\n"))
    yield Job("new_group", "[global]\nsize=64k\nrw=write\n[a]\n[b]\nnew_group\n[c]\n")
    yield Job("three in a row", "[global]\nsize=64k\nrw=write\nstonewall\n[a]\n[b]\n[c]\n")
    yield Job("startdelay", j(f"rw=write\nstartdelay=100ms\n{F}", "size=64k\nbs=4k\n"))
    yield coming("wait_for", "[global]\nsize=64k\nrw=write\n[a]\n[b]\nwait_for=a\n")
    yield Job("exitall", "[global]\nsize=64k\nexitall\nrw=write\n[a]\n[b]\n", loose={"ios": 1e9, "bytes": 1e9, "files": True})
    yield coming("flow", f"[global]\nsize=128k\n{F}\nrw=read\n[a]\nflow=1\n[b]\nflow=1\n", A)
    yield Job("global's global", "[global]\nbs=8k\n[global]\nsize=64k\n[a]\nrw=write\n")


def ends():
    for extra in ("rate=100m", "rate_iops=100000", "thinktime=100us\nthinktime_blocks=64", "gtod_reduce=1", "disable_clat=1", "disable_lat=1\ndisable_slat=1",
                  "disable_bw=1", "lat_percentiles=1", "percentile_list=50:99", "clocksource=clock_gettime", "clocksource=cpu", "cpus_allowed=0", "description=words",
                  "invalidate=0", "buffered=1", "thread=1"):
        yield Job(f"read {extra}".replace("\n", " "), j(f"rw=read\n{extra}\n{F}"), A)
    for extra in ("rate_min=1k", "rate_process=poisson\nrate_iops=10000", "max_latency=10s", "continue_on_error=all", "ignore_error=EIO", "error_dump=0", "exitall_on_error=1",
                  "io_submit_mode=offload", "latency_target=10s\nlatency_window=1s", "thinktime_blocks_type=issue\nthinktime=10us", "rate_ignore_thinktime=1",
                  "nice=3", "mem=mmap", "mem=shm", "iomem_align=4096", "lockmem=64k", "numa_mem_policy=local", "ioscheduler=none", "prioclass=2\nprio=3",
                  "exec_prerun=true", "gtod_cpu=0", "unified_rw_reporting=none", "significant_figures=6", "block_error_percentiles=0", "stats=1", "unit_base=8",
                  "zero_buffers=1", "refill_buffers=1", "scramble_buffers=0", "buffer_pattern=0xff", "dedupe_percentage=50", "buffer_compress_percentage=40"):
        yield coming(f"randwrite {extra}".replace("\n", " "), j(f"rw=randwrite\n{extra}\n{F}", "size=256k\nbs=4k\n"), loose={"sync": 1e9, "short": 1e9})
    for text in ("rw=write\nbs=0", "rw=write\nnumjobs=0x", "rwmixread=200", "rw=write\noffset=abc", "rw=read\nfilename=f:", "direct=maybe", "runtime=-", "rate=fast"):
        yield Job(f"refused: {text}".replace("\n", " "), j(text), refused=True, loose={"files": True})


MORE = [job for family in (engines, sizes, orders, files, syncs, several, ends) for job in family()]

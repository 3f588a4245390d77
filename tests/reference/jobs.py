"""The jobs that fio and fathom both run (counts_test.py). One row a job; what is compared exactly is everything that `loose` does not name.

A job is a job file's text, or the words of a command line. {loop} becomes a fresh loop device of 8 MiB, {n} the number of jobs.
"""
import dataclasses


@dataclasses.dataclass
class Job:
    name: str
    text: object  # str: a job file; list: arguments
    files: dict = dataclasses.field(default_factory=dict)  # made beforehand: name -> size, "sub/" -> a directory, bytes -> its content
    loop: bool = False  # {loop} in the text; needs root
    loose: dict = dataclasses.field(default_factory=dict)  # ios, bytes, short, sync: largest relative difference; "files": not compared
    mix: float = None  # share of reads: each side within 4 sigma of it, their sum exact
    seconds: tuple = None  # (at least, at most) seconds of measured runtime; nothing is compared with fio but the shape
    allocated: bool = False  # bytes on the disk too, within 64 KiB
    refused: bool = False  # nothing is done: exit status and files are compared, the report need not be fio's
    coming: bool = False  # may be refused as not built yet; compared once it is


def j(body, head="size=1m\nbs=4k\n"):
    return f"[j]\n{head}{body}\n"


A = {"f": "1m"}
JOBS = [
    # the ten modes
    Job("read", j("rw=read\nfilename=f"), A),
    Job("write", j("rw=write\nfilename=f")),
    Job("randread", j("rw=randread\nfilename=f"), A),
    Job("randwrite", j("rw=randwrite\nfilename=f")),
    Job("rw", j("rw=rw\nfilename=f"), A, mix=0.5),
    Job("randrw 70", j("rw=randrw\nrwmixread=70\nfilename=f", "size=4m\nbs=4k\n"), {"f": "4m"}, mix=0.7),
    Job("randrw mixwrite 30 on fresh files", j("rw=randrw\nrwmixwrite=30\nfilename=f", "size=4m\nbs=4k\n"), mix=0.7),
    Job("trim", j("rw=trim\nfilename={loop}"), loop=True),
    Job("randtrim", j("rw=randtrim\nfilename={loop}"), loop=True),
    Job("trimwrite", j("rw=trimwrite\nfilename={loop}"), loop=True),
    Job("randtrimwrite", j("rw=randtrimwrite\nfilename={loop}"), loop=True),
    # the sequencer
    Job("randread:8", j("rw=randread:8\nfilename=f"), A),
    Job("randwrite:4", j("rw=randwrite:4\nfilename=f")),
    Job("read:4k", j("rw=read:4k\nfilename=f"), A),
    Job("write:-8k", j("rw=write:-8k\noffset=512k\nfilename=f\nsize=256k\nbs=4k\n", ""), A),
    Job("randread:4 identical", j("rw=randread:4\nrw_sequencer=identical\nfilename=f"), A),
    # block sizes
    Job("bs=4k,8k", j("rw=randrw\nbs=4k,8k\nnorandommap\nfilename=f", "size=4m\n"), {"f": "4m"}, loose={"ios": 0.12, "bytes": 0.12}),
    Job("bs=8k write only part", j("rw=write\nbs=4k,16k\nfilename=f", "size=1m\n")),
    # effect: bsrange
    Job("bsrange", j("rw=read\nbsrange=1k-8k\nfilename=f", "size=4m\n"), {"f": "4m"}, loose={"ios": 0.12}),
    Job("bsrange random write", j("rw=randwrite\nbsrange=4k-16k\nnorandommap\nfilename=f", "size=4m\n"), {"f": "4m"},
        loose={"ios": 0.15, "bytes": 0.01}),
    # effect: bssplit
    Job("bssplit", j("rw=write\nbssplit=4k/60:16k/40\nfilename=f", "size=4m\n"), loose={"ios": 0.15}),
    Job("size no multiple of bs", j("rw=write\nsize=1000000\nbs=4k\nfilename=f", "")),
    Job("read size no multiple of bs", j("rw=read\nsize=1000000\nbs=64k\nfilename=f", ""), {"f": "1000000"}),
    Job("random, size no multiple of bs", j("rw=randread\nsize=1000000\nbs=64k\nfilename=f", ""), {"f": "1000000"}),
    Job("size inside a larger file, no multiple", j("rw=read\nsize=1000000\nbs=64k\nfilename=f", ""), A),
    Job("read:4k of a part", j("rw=read:4k\nsize=256k\nbs=4k\nfilename=f", ""), A),
    # how much
    # effect: io_size
    Job("io_size smaller", j("rw=write\nio_size=256k\nfilename=f")),
    Job("io_size larger", j("rw=read\nio_size=3m\nfilename=f"), A),
    Job("io_size larger, random", j("rw=randread\nio_size=2500k\nfilename=f"), A),
    # effect: number_ios
    Job("number_ios", j("rw=randwrite\nnumber_ios=100\nfilename=f")),
    Job("number_ios larger than size", j("rw=read\nnumber_ios=300\nfilename=f"), A),
    # effect: loops
    Job("loops", j("rw=randread\nloops=3\nfilename=f"), A),
    # effect: size
    Job("size in percent", j("rw=read\nsize=50%\nfilename=f\nbs=4k", ""), A),
    Job("io_size and offset in percent", j("rw=read\noffset=25%\nsize=100%\nio_size=50%\nfilename=f\nbs=4k", ""), A),
    Job("size from an existing file", j("rw=read\nfilename=f\nbs=4k", ""), {"f": "300k"}),
    # files
    # effect: nrfiles
    Job("nrfiles", j("rw=write\nnrfiles=4")),
    Job("nrfiles random read laid out", j("rw=randread\nnrfiles=4")),
    # effect: directory
    Job("directory", j("rw=write\ndirectory=sub"), {"sub/": None}),
    Job("two directories, two jobs", j("rw=write\ndirectory=sub:tub\nnumjobs=2"), {"sub/": None, "tub/": None}),
    # effect: filename
    Job("filename list", j("rw=read\nfilename=a:b"), {"a": "512k", "b": "512k"}),
    Job("filename list written", j("rw=write\nfilename=a:b")),
    Job("escaped colon", j("rw=write\nfilename=a\\:b")),
    # effect: filename_format
    Job("filename_format", j("rw=write\nnrfiles=2\nfilename_format=$jobname-$filenum.x")),
    Job("laid out for reading", j("rw=read")),
    # effect: offset
    Job("offset", j("rw=write\noffset=512k\nfilename=f\nsize=256k\nbs=4k", "")),
    Job("offset, random read", j("rw=randread\noffset=256k\nsize=512k\nbs=4k\nfilename=f", ""), A),
    # effect: offset_increment
    Job("offset_increment", j("rw=write\noffset_increment=256k\nnumjobs=3\nsize=256k\nbs=4k\nfilename=f", "")),
    # effect: overwrite
    Job("overwrite", j("rw=randwrite\noverwrite=1\nio_size=64k")),
    Job("overwrite of a longer file", j("rw=write\noverwrite=1\nfilename=f\nsize=64k\nbs=4k\n", ""), A),
    # effect: unlink
    Job("unlink", j("rw=write\nunlink=1")),
    # effect: create_only
    Job("create_only", j("rw=read\ncreate_only=1")),
    *[Job(f"fallocate={mode}", j(f"rw=write\nfallocate={mode}\nio_size=128k"), allocated=True)
      for mode in ("none", "native", "posix", "keep", "truncate")],
    # syncs
    # effect: fsync
    Job("fsync", j("rw=write\nfsync=4\nfilename=f")),
    Job("fsync on reads too", j("rw=randrw\nfsync=8\nfilename=f"), A, mix=0.5, loose={"sync": 1.0}),
    Job("fdatasync", j("rw=randwrite\nfdatasync=8\nfilename=f"), loose={"sync": 1e9, "short": 1e9}),  # fio counts it as short reads
    Job("end_fsync", j("rw=write\nend_fsync=1\nfilename=f")),
    Job("sync=1", j("rw=write\nsync=1\nio_size=128k\nfilename=f")),
    # several jobs
    # effect: numjobs
    Job("numjobs", j("rw=write\nnumjobs=3")),
    Job("numjobs as threads", j("rw=write\nnumjobs=3\nthread")),
    Job("group_reporting", j("rw=write\nnumjobs=3\ngroup_reporting")),
    Job("stonewall", "[global]\nsize=256k\nfilename=f\n[w]\nrw=write\n[r]\nstonewall\nrw=read\n"),
    Job("groups", "[global]\nsize=256k\ngroup_reporting\n[a]\nrw=write\nnumjobs=2\n[b]\nstonewall\nrw=write\nbs=16k\n[c]\nrw=write\n"),
    Job("command line", ["--name=a", "--rw=write", "--size=256k", "--bs=16k", "--name=b", "--size=128k", "--rw", "randwrite"]),
    Job("global on the command line", ["--size=128k", "--rw=write", "--name=a", "--name=b", "--bs=8k"]),
    Job("unique prefixes", ["--nam=a", "--ioengin=null", "--size=128k"]),
    # the language
    Job("include", "[global]\nsize=64k\ninclude inc.fio\n[a]\nrw=write\n", {"inc.fio": b"bs=16k\n"}),
    Job("environment and comments",  # no arithmetic: Debian builds fio without it
        "; one\n# two\n[global]\nbs=16k\n[a]\nfilename=f${REFERENCE_TAG}\nsize=64k\nrw=write\n  ; three\n"),
    Job("aliases and units", "[a]\nreadwrite=write\nblocksize=8Ki\nsize=64K\n"),
    Job("KiB", "[a]\nrw=write\nbs=4000\nsize=64KiB\n"),
    Job("a space before the sign", "[a]\nrw =write\nsize=64k\n"),
    Job("a space before the name", "[a]\n rw=write\nsize=64k\n"),
    Job("a comment behind a value", "[a]\nrw=write ; why\nsize=64k\n"),
    # engines, depths, direct
    *[Job(f"{engine} {mode}", j(f"ioengine={engine}\nrw={mode}\nfilename=f"), A)
      for engine in ("sync", "psync", "pvsync2", "mmap", "libaio", "io_uring") for mode in ("randread", "write")],
    *[Job(f"{engine} direct depth 16 {mode}", j(f"ioengine={engine}\niodepth=16\ndirect=1\nrw={mode}\nfilename=f"), A)
      for engine in ("libaio", "io_uring") for mode in ("randread", "randwrite")],
    Job("libaio batches", j("ioengine=libaio\niodepth=16\niodepth_batch=8\niodepth_batch_complete_min=4\ndirect=1\nrw=randread\nfilename=f"), A),
    Job("io_uring registered", j("ioengine=io_uring\niodepth=8\nfixedbufs\nregisterfiles\ndirect=1\nrw=randread\nfilename=f"), A),
    Job("psync direct", j("direct=1\nrw=randwrite\nfilename=f"), A),
    Job("null", j("ioengine=null\nrw=randrw"), mix=0.5),
    Job("null depth 16", j("ioengine=null\niodepth=16\nrw=randread")),
    # order and pace
    Job("norandommap", j("rw=randread\nnorandommap\nfilename=f"), A),
    Job("zipf", j("rw=randread\nrandom_distribution=zipf:1.2\nfilename=f"), A),
    Job("zoned", j("rw=randread\nrandom_distribution=zoned:60/10:40/90\nfilename=f"), A),
    Job("rate_iops", j("rw=read\nrate_iops=200\nfilename=f\nsize=400k\nbs=4k", ""), A),
    Job("thinktime", j("rw=read\nthinktime=1ms\nthinktime_blocks=8\nfilename=f"), A),
    # effect: time_based
    Job("time_based", j("rw=randread\ntime_based\nruntime=1\nfilename=f"), A, seconds=(0.95, 1.3)),
    Job("time_based with ramp", j("rw=randread\ntime_based\nruntime=1\nramp_time=500ms\nfilename=f"), A, seconds=(0.95, 1.3)),
    # effect: runtime rate_iops
    Job("runtime ends a paced job", j("rw=read\nrate_iops=50\nruntime=1\nfilename=f"), A, seconds=(0.95, 1.3)),
    # failures
    # effect: allow_file_create
    Job("missing file, creation forbidden", j("rw=read\nallow_file_create=0\nfilename=missing"), refused=True),
    Job("file shorter than size", j("rw=read\nallow_file_create=0\nfilename=f\nsize=2m\nbs=4k", ""), A, refused=True,
        loose={"files": True}),  # fio deletes the file
    Job("missing directory", j("rw=write\ndirectory=nowhere"), refused=True),
    Job("filename is a directory", j("rw=write\nfilename=sub"), {"sub/": None}, refused=True),
    Job("read-only run of a writing job", ["--readonly", "--name=w", "--rw=write", "--size=64k"], refused=True),
    Job("one job of two fails", "[global]\nsize=64k\n[a]\nrw=write\n[b]\nrw=write\ndirectory=nowhere\n", refused=True),
    Job("two jobs of two fail", "[global]\nsize=64k\nallow_file_create=0\n[a]\nrw=read\nfilename=x\n[b]\nrw=read\nfilename=y\n", refused=True),
    Job("one file missing, the other job runs", "[global]\nsize=64k\nallow_file_create=0\n[a]\nrw=read\nfilename=x\n[b]\nrw=read\nfilename=f\n", A,
        loose={"error": True}),  # fio counts the failure in its exit status and leaves the job's error 0
    Job("unknown option", j("rw=read\nblocksiez=4k"), refused=True),
    Job("unknown engine", j("rw=read\nioengine=psink"), refused=True),
    Job("unknown mode", j("rw=randred"), refused=True),
    Job("iodepth=0", j("rw=read\niodepth=0\nfilename=f"), A, refused=True),
    Job("no size, no file", j("rw=read\nfilename=f", ""), refused=True),
    Job("no job at all", ["--size=4k"], refused=True),
]

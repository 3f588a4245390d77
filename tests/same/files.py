"""The files that rows of scripts/same work on: written afresh into the folder that each run of a row is started in."""
import random
import struct

JOBS = {
    # every mistake that a job file can have, each where a line and a column can be said
    "bad_value.fio": "[j]\nsize=64k\nbs=4x\n",
    "bad_value_indented.fio": "[j]\nsize=64k\n   bs=4x\n",
    "bad_choice.fio": "[j]\nrw=randred\nsize=64k\n",
    "bad_range.fio": "[j]\niodepth=0\nsize=64k\n",
    "bad_global.fio": "; a comment\n[global]\nrwmixread=101\n[j]\nsize=64k\n",
    "bad_option.fio": "[j]\nblocksiez=4k\nsize=64k\n",
    "bad_not_built.fio": "[j]\nverify=pi\nsize=64k\n",
    "bad_not_built_option.fio": "[j]\nwrite_iolog=4k\nsize=64k\n",
    "bad_engine.fio": "[j]\nioengine=psink\nsize=64k\n",
    "bad_engine_not_built.fio": "[j]\nioengine=rbd\nsize=64k\n",
    "bad_engine_option.fio": "[j]\nioengine=libaio\nsqthread_poll=1\nsize=64k\n",
    "bad_number.fio": "[j]\nnumjobs=two\nsize=64k\n",
    "bad_size.fio": "[j]\nsize=abc\n",
    "bad_time.fio": "[j]\nsize=64k\nruntime=10q\n",
    "bad_split.fio": "[j]\nsize=64k\nbssplit=4k/60:8k/50\n",
    "bad_split_word.fio": "[j]\nsize=64k\nbssplit=4k/x\n",
    "bad_bsrange.fio": "[j]\nsize=64k\nbsrange=8k-q\n",
    "bad_percentiles.fio": "[j]\nsize=64k\npercentile_list=50:200\n",
    "bad_distribution.fio": "[j]\nsize=64k\nrandom_distribution=zipff:1.2\n",
    "bad_distribution_range.fio": "[j]\nsize=64k\nrandom_distribution=pareto:2\n",
    "bad_zones.fio": "[j]\nsize=64k\nrandom_distribution=zoned:60/10:50/90\n",
    "bad_section.fio": "[j\nsize=64k\n",
    "bad_no_section.fio": "size=64k\n[j]\nrw=read\n",
    "bad_include.fio": "[j]\ninclude nowhere.fio\nsize=64k\n",
    "bad_include_self.fio": "[j]\ninclude bad_include_self.fio\nsize=64k\n",
    "bad_in_include.fio": "[j]\ninclude bad_value.inc\nsize=64k\n",
    "bad_value.inc": "; here\nbs=4x\n",
    "bad_bool.fio": "[j]\nsize=64k\ndirect=2\n",
    "bad_cpus.fio": "[j]\nsize=64k\ncpus_allowed=0-x\n",
    "bad_cpu_far.fio": "[j]\nsize=64k\ncpus_allowed=4095\n",
    "bad_sim.fio": "[j]\nsize=64k\nioengine=sim\nsim_latency=two:1us:2us\n",
    "bad_sync.fio": "[j]\nsize=64k\nsync=maybe\n",
    "bad_fallocate.fio": "[j]\nsize=64k\nfallocate=sometimes\n",
    "bad_percent.fio": "[j]\nsize=120%\nfilename=data\n",
    "bad_rate.fio": "[j]\nsize=64k\nrate=-1\n",
    "bad_variable.fio": "[j]\nsize=${SAME_NOT_SET}\n",
    "bad_bytes.fio": b"[j]\nsize=64k\n\xff\x01name=\x1b[31m\n",
    "bad_two_values.fio": "[j]\nsize=64k\niodepth=1,2\n",
    "bad_long.fio": "[j]\nsize=" + "9" * 400 + "\n",
    "empty.fio": "",
    "only_global.fio": "[global]\nbs=4k\nsize=64k\n",
    # jobs that are right
    "sim.fio": "[global]\nioengine=sim\nrw=randread\nbs=4k\nsize=16m\n[steady]\nsim_latency=const:100us\n[two]\nstonewall\nsim_latency=two:100us:10ms:2%\n",
    "groups.fio": "[global]\nioengine=sim\nsize=1m\nbs=4k\ngroup_reporting\n[a]\nrw=randwrite\nnumjobs=2\nsim_latency=exp:50us\n"
                  "[b]\nstonewall\nrw=read\nbs=16k\nsim_latency=uniform:10us:90us\n[c]\nrw=randrw\nrwmixread=70\nsim_latency=normal:80us:9us\n",
    "wide.fio": "".join(f"[j{i}]\nioengine=sim\nsize=64k\nbs=4k\nrw=randread\nsim_latency=const:{i + 1}us\n" for i in range(12)),
    "language.fio": "; one\n# two\n[global]\nblocksize=8Ki\ninclude part.inc\n[a]\n rw =write ; why\nsize=64K\nfilename=f${SAME_TAG}\n"
                    "[b]\nreadwrite=randread\nsize=64KiB\nstonewall\ndescription=two words; and more\nnumjobs=2\n",
    "part.inc": "ioengine=sim\n",
    "sections.fio": "[global]\nioengine=sim\nsize=64k\n[a]\nrw=read\n[b]\nrw=write\n[c]\nrw=randread\n",
    "many_options.fio": "[j]\nioengine=io_uring\nsize=1m\nbs=4k,8k,16k\nrw=randrw:4\nrw_sequencer=identical\nrwmixwrite=40\niodepth=8\niodepth_batch=4\n"
                        "iodepth_batch_complete_min=2\niodepth_low=2\nfixedbufs\nregisterfiles\nhipri=0\ndirect=0\nnorandommap=1\nrandseed=7\n"
                        "random_distribution=zipf:1.2\npercentile_list=50:99:99.9\nfsync=8\nend_fsync=1\nnrfiles=3\nfilesize=128k-512k\nruntime=10\nramp_time=1\n"
                        "startdelay=1s\nrate=10m,20m\nthinktime=1ms\nthinktime_blocks=4\ncpus_allowed=0\nverify=crc32c\nverify_fatal=1\nloops=2\n",
    "ignored.fio": "[j]\nioengine=sim\nsize=64k\nrw=randread\nsoftrandommap=1\nmem=mmap\nbwavgtime=500\nlog_entries=1024\ndisk_util=0\nrandom_generator=tausworthe64\n",
}

XML_FLAWED = '<?xml version="1.0"?>\n<pmbenchmark>\n <report>\n  <signature><params><jobs>two</jobs></params></signature>\n </report>\n</pmbenchmark>\n'
OTHERS = {
    "flawed.xml": XML_FLAWED,
    "cut.xml": XML_FLAWED[:90],
    "other.xml": "<html><body/></html>\n",
    "not.xml": "plain words\n",
    "profile.txt": "nothing that learn wrote\n",
    "stdin.fio": "[in]\nioengine=sim\nsize=64k\nrw=randread\nsim_latency=const:20us\n",
}


def data(size_bytes):
    rng = random.Random(15)
    return b"".join(struct.pack("<Q", rng.getrandbits(64)) for _ in range(size_bytes // 8))


def all_files():
    """name -> bytes"""
    texts = {**JOBS, **OTHERS}
    return {"data": data(1 << 20), **{name: text if isinstance(text, bytes) else text.encode() for name, text in texts.items()}}

"""The table of scripts/same: one command line a row, by the name that the program is called by.

A row is run in a folder of its own that holds tests/same/files.py. What it prints, the files that it writes and its exit status are compared.
`< NAME` hands it a file as standard input, `<<< TEXT` a text. A row with VALUE (SOME) is run once with each of VALUES (SOME): what a reader
makes of good and bad words. sweeps.py makes more rows.
"""
import dataclasses
import shlex

import masks
import sweeps


@dataclasses.dataclass
class Row:
    text: str
    level: int = masks.EXACT
    alone: bool = False  # both programs would use the same thing of the machine

    @property
    def swept(self):
        """VALUE, SOME or nothing."""
        return next((word for word in WORDS if word in self.text), "")

    def commands(self):
        """Words and standard input (a file's name, or bytes) of each command of the row."""
        for value in WORDS.get(self.swept, [""]):
            text = self.text.replace(self.swept, value) if self.swept else self.text
            if " <<< " in text:
                line, given = text.split(" <<< ")
                yield shlex.split(line), given.replace("\\n", "\n").encode()
            else:
                line, _, name = text.partition(" < ")
                yield shlex.split(line), name.strip() or "/dev/null"


# Words that suit some options and not others.
VALUES = ["0", "1", "-1", "7", "4k", "10s", "50%", "0.5", "0-1", "4k-8k", "a:b", "5:95", "nonsense", "18446744073709551616", "''"]
SOME = ["7", "nonsense", "50%"]
WORDS = {"VALUE": VALUES, "SOME": SOME}

EXACT = """
# the doors and their help
fathom
fathom --help
fathom -h
fathom help
fathom help run
fathom help nothing
fathom version
fathom --version
fathom -v
fathom runn
fathom nowhere.fio
fathom report
fathom report x.json
fathom compare
fathom sweep
fathom run
fathom run --help
fathom run --version
fathom run --cmdhelp
fathom run --cmdhelp=all
fathom run --cmdhelp=blocksiez
fathom run --enghelp
fathom run --enghelp=rbd
fathom run --enghelp=psink
fathom clock
fathom clock --help
fathom clock nothing
fathom clock tset
fathom clock test --help
fathom clock sources --help
fathom nvme
fathom nvme --help
fathom nvme nothing
fathom nvme list --help
fathom nvme identify --help
fathom nvme log --help
fathom nvme setup --help
fathom nvme bind --help
fathom nvme unbind --help
fathom nvme perf --help
fathom nvme serve --help
fathom paging --help
fathom paging run --help
fathom paging breakdown --help
fathom paging learn --help
fathom paging cleanup --help
fathom paging help
fathom paging nothing
fathom paging brakdown
fathom pmu
fathom pmu --help
fathom pmu nothing
fathom pmu list --help
fathom pmu stat --help
fathom doctor --help
fathom doctor --jsn
fio
fio --help
fio -h
fio --version
fio -v
fio --cmdhelp=bs
fio --enghelp
fio --enghelp=libaio
pmbench
pmbench --help
pmbench --usage
pmbench -V
spdk_nvme_perf
spdk_nvme_perf --help
fathom help man-options
fathom help compat
fathom help fuzz-dictionary
fathom help paging
fathom help iodepth

# the language of job files: shown, checked, run
fathom run --showcmd language.fio
fathom run --showcmd sections.fio
fathom run --showcmd --section=b sections.fio
fathom run --showcmd many_options.fio
fathom run --parse-only many_options.fio
fathom run --debug=parse --parse-only many_options.fio
fathom run --debug=parse --parse-only language.fio
fathom run --parse-only language.fio sections.fio
fathom run --parse-only empty.fio
fathom run --parse-only only_global.fio
fathom run only_global.fio
fathom run - < stdin.fio
fio - < stdin.fio
fio --parse-only sections.fio
fio --showcmd sections.fio

# mistakes in a job file, with line and column
""" + "".join(f"fathom run {name}.fio\nfio {name}.fio\n" for name in """
bad_value bad_value_indented bad_choice bad_range bad_global bad_option bad_not_built bad_not_built_option bad_engine bad_engine_not_built
bad_engine_option bad_number bad_size bad_time bad_split bad_split_word bad_bsrange bad_percentiles bad_distribution bad_distribution_range
bad_zones bad_section bad_no_section bad_include bad_include_self bad_in_include bad_bool bad_cpus bad_cpu_far bad_sim bad_sync bad_fallocate
bad_percent bad_rate bad_variable bad_bytes bad_two_values bad_long""".split()) + """
# and on a command line
fathom run --name=j --bs=4x --size=64k
fathom run --name=j --blocksiez=4k --size=64k
fathom run --output-format=jsn --name=j --size=64k
fathom run --name=j --rw=read
fathom run --size=64k
fathom run nowhere.fio
fathom run --name=j --rw=write --directory=nowhere --size=64k
fathom run --readonly --name=j --rw=write --size=64k
fathom run --section=nope sections.fio
fathom run --name=j --size=64k --iodepth
fathom run --name=j --size=64k --clock-check=never
fathom run --name=j --size=64k --stamps=both
fathom run --name=j --size=64k --repeat=0
fathom run --name=j --size=64k --audit=everything
fathom run --name=j --size=64k --eta=often
fathom run --name=j --size=64k --unit-bytes=x
fathom run --nonsuch
fathom run --name=j --size=64k --rw=randwrite --ioengine=nvme --filename=soft:nosuch=1
fathom run --name=j --rw=write --size=64k --filename=.
fathom --name=j --blocksiez=4k
fio --name=j --bs=4x --size=64k
fio --nonsuch
fio --name=j --rw=read
fio --output-format=jsn --name=j --size=64k

# the scripted clock: every number is known, and every format shows it whole
fathom run --clock-check=skip --audit=off sim.fio
fathom run --clock-check=skip --audit=off --plot sim.fio
fathom run --clock-check=skip --audit=off --output-format=json sim.fio
fathom run --clock-check=skip --audit=off --output-format=json+ sim.fio
fathom run --clock-check=skip --audit=off --output-format=normal,json sim.fio
fathom run --clock-check=skip --audit=off --output-format=json --output=out.json sim.fio
fathom run --clock-check=skip --audit=off --output-format=normal,json+ --output=out.txt groups.fio
fathom run --clock-check=skip --audit=off --output=nowhere/out.txt sim.fio
fathom run --clock-check=skip --audit=off --output-format=spdk sim.fio
fathom run --clock-check=skip --audit=off --output-format=spdk-l sim.fio
fathom run --clock-check=skip --audit=off --output-format=spdk-ll sim.fio
fathom run --clock-check=skip --audit=off groups.fio
fathom run --clock-check=skip --audit=off --output-format=json groups.fio
fathom run --clock-check=skip --audit=off --output-format=json+ groups.fio
fathom run --clock-check=skip --audit=off wide.fio
fathom run --clock-check=skip --audit=off --output-format=json wide.fio
fathom run --clock-check=skip --audit=off --repeat=3 sim.fio
fathom run --clock-check=skip --audit=off --repeat=3 --output-format=json sim.fio
fathom run --clock-check=skip --audit=off ignored.fio
fathom run --clock-check=skip --audit=off --output-format=json ignored.fio
fathom run --clock-check=skip --audit=off --name=f --ioengine=sim --size=1m --sim_fail_every=7
fathom run --clock-check=skip --audit=off --output-format=json --name=f --ioengine=sim --size=1m --sim_fail_every=7
fathom run --clock-check=skip --audit=off --name=q --ioengine=sim --size=1m --iodepth=8 --rw=randwrite --sim_latency=exp:80us
fathom run --clock-check=skip --audit=off --output-format=json --name=q --ioengine=sim --size=1m --iodepth=8 --rw=randwrite --sim_latency=exp:80us
fathom run --clock-check=skip --audit=off --name=p --ioengine=sim --size=4m --percentile_list=50:99.5 --lat_percentiles=1 --slat_percentiles=1
fathom run --clock-check=skip --audit=off --output-format=json --name=p --ioengine=sim --size=4m --percentile_list=50:99.5 --lat_percentiles=1 --slat_percentiles=1
fathom run --clock-check=skip --audit=off --name=d --ioengine=sim --size=4m --disable_clat=1 --disable_slat=1
fathom run --clock-check=skip --audit=off --name=b --ioengine=sim --size=4m --bssplit=4k/60:16k/40 --rw=randrw --rwmixread=30
fathom run --clock-check=skip --audit=off --stamps=fio --name=s --ioengine=sim --size=1m --output-format=json
fathom run --clock-check=skip --audit=off --name=z --ioengine=sim --size=4m --rw=randread --random_distribution=zipf:1.2 --norandommap
fathom run --clock-check=skip --audit=off --name=t --ioengine=sim --size=1m --rw=trim
fathom run --clock-check=skip --audit=off --name=s --ioengine=sim --size=1m --rw=write --fsync=4
fathom run --clock-check=skip --audit=off --name=n --ioengine=sim --size=1m --number_ios=10 --numjobs=3 --group_reporting --thread
fathom run --clock-check=skip --audit=off --name=r --ioengine=sim --size=1m --rate_iops=1000
fathom run --clock-check=skip --audit=off --name=u --ioengine=sim --size=1m --unit_base=8 --kb_base=1000
fio --clock-check=skip --audit=off sim.fio
fio --clock-check=skip --audit=off --output-format=json sim.fio
fio --clock-check=skip --audit=off --output-format=json groups.fio
fio --clock-check=skip --audit=off --name=f --ioengine=sim --size=1m --sim_fail_every=7

# pmbench's reports read again, in every format
""" + "".join(f"fathom paging --import={name}.xml --output-format={form}\n" for name in ("linux", "windows", "touch", "cold_reads")
             for form in ("text", "text-ascii", "json", "json+", "xml", "csv", "pmbench")) + """
fathom paging --import=linux.xml --output=out.csv --output-format=csv
fathom paging --import=flawed.xml
fathom paging --import=cut.xml
fathom paging --import=other.xml
fathom paging --import=not.xml
fathom paging --import=nowhere.xml
fathom paging --import=.
fathom paging --import=linux.xml --duration=1

# paging: what is refused
fathom paging --map=64M --treads=2
fathom paging --duration=0
fathom paging --read-ratio=101
fathom paging --map=64M --set=128M
fathom paging --map=5
fathom paging --pattern=zipf --shape=-3
fathom paging --pattern=linear --shape=0
fathom paging --pattern=unifrom
fathom paging --setting=vm.swapiness=1 --duration=1
fathom paging --setting=vm.foo=1 --duration=1
fathom paging --madvise=bogus --duration=1
fathom paging --pattern=profile:profile.txt --duration=1
fathom paging --pattern=profile:nowhere --duration=1
fathom paging --hot-set=10 --duration=1
fathom paging --pattern=uniform --permute --duration=1
fathom paging --delay=5 --duration=1
fathom paging --pattern=legacy:uniform --seed=7 --duration=1
fathom paging breakdown --swap=none --initial-node=0 --membind=0
fathom paging breakdown --swap=none --import=linux.xml
fathom paging breakdown --swap=none --swap=current
fathom paging breakdown
fathom paging --swap=zram
fathom paging --cpus=0-x
fathom paging --cpus=4000
fathom paging --membind=77
fathom paging --output-format=jsn
fathom paging --memory=file-private
fathom paging --thp=often
fathom paging --stamps=sundial
fathom paging --output=nowhere/r --duration=1
fathom paging learn --pid=1 -- true
fathom paging learn
fathom paging learn --pid=x
fathom paging learn --method=guess --pid=1
pmbench -m
pmbench --nothing 1
pmbench 1 2
pmbench -qw 1
pmbench -m 1 -s 2 1
pmbench -m 64 --limit=5 1
pmbench -p unifrom 1
pmbench -t sundial 1
pmbench -y 0-x 1
pmbench -r 101 1

# nvme: the job that perf makes, and what is refused
fathom nvme perf --showcmd --iodepth=4
fathom nvme perf --showcmd --device=soft:ideal --device=soft --numjobs=2 --rw=randwrite --bs=8k --verify=crc32c
fathom nvme perf --parse-only --nvme_sq_copy=words --nvme_lookahead=none
fathom nvme perf --filename=/dev/sda
fathom nvme perf --device=/dev/nvme0n1
fathom nvme perf --rw=sideways
fathom nvme perf --nvme_sq_copy=magic
fathom nvme perf --device=soft:nosuch=1
fathom nvme perf --device=soft/ns=9
fathom nvme perf --bs=1000 --device=soft:bs=512
fathom nvme perf --device=0000:zz:00.0
fathom nvme perf --device=fffe:1f:1f.7
fathom nvme perf --device=soft:size=16m --offset=32m
fathom nvme perf --device=vfio-user:/nowhere/at/all
fathom nvme perf --device=soft:ideal --verify=crc32c --rw=write
fathom nvme perf --device=soft:ideal --nvme_divide=1 --iodepth=4
fathom nvme perf --iodepht=4
fathom nvme identify
fathom nvme identify --device=soft
fathom nvme identify --device=soft --json
fathom nvme identify --device=soft --raw
fathom nvme identify --device=soft --namespace=1
fathom nvme identify --device=soft/ns=1 --json
fathom nvme identify --device=soft --json --raw
fathom nvme identify --device=soft --namespace=9
fathom nvme identify --device=soft:bs=4096,size=64m,cqes=6
fathom nvme identify --devise=soft
fathom nvme log smart --device=soft
fathom nvme log smart --device=soft --json
fathom nvme log error --device=soft
fathom nvme log error --device=soft --json
fathom nvme log firmware --device=soft
fathom nvme log firmware --device=soft --json
fathom nvme log changed-ns --device=soft
fathom nvme log changed-ns --device=soft --json
fathom nvme log smrt --device=soft
fathom nvme log --device=soft
fathom nvme list
fathom nvme list --json
fathom nvme list --jsn
fathom nvme setup --check
fathom nvme setup --huge=x
fathom nvme bind
fathom nvme bind 0000:zz:00.0
fathom nvme unbind
fathom nvme serve
fathom nvme serve --socket=nowhere/x/y
fathom nvme serve --socket=s --soft=nosuch=1
spdk_nvme_perf -q 8 -o 4096 -w sideways -t 1
spdk_nvme_perf -q 8 -o 4096 -w randread
spdk_nvme_perf -q 0 -o 4096 -w randread -t 1
spdk_nvme_perf -q 8 -o 4096 -w randread -t 1 -c 0xz
spdk_nvme_perf -q 8 -o 4096 -w randread -t 1 -r trtype:TCP
spdk_nvme_perf -q 8 -o 4096 -w randread -t 1 -Z
spdk_nvme_perf --io-depht 8

# pmu: recorded machines, and what is refused
fathom pmu list --root=server
fathom pmu list -v --root=server
fathom pmu list --root=server --output-format=json
fathom pmu list -v --root=server --output-format=json
fathom pmu list --root=server --device=/dev/sda4
fathom pmu list --root=server --device=/dev/md0
fathom pmu list --root=server --device=/dev/md0 --output-format=json
fathom pmu list --root=server --device=/dev/zram0
fathom pmu list --root=server --device=nvme1n1
fathom pmu list --root=server --device=nvme7n1
fathom pmu list --root=server rx_memory_write
fathom pmu list --root=server pcie_bdf_200/L*
fathom pmu list --root=server pcie_bdf_200/Rx* --output-format=json
fathom pmu list --root=server -v pcie_bdf_200/L0/
fathom pmu list --root=server block:*
fathom pmu list --root=bare
fathom pmu list --root=bare -v dwc_pcie
fathom pmu list --root=bare -v amd_df
fathom pmu list --root=bare --output-format=json
""" + "".join(f"fathom pmu list --root={family}{more}\n" for more in ("", " -v", " --output-format=json") for family in """
amd_df arm_cmn dwc_rootport hisi_pcie mrvl_pcie_rc_pmu msr nvidia_pcie_pmu pcie_bdf power uncore_iio uncore_iio_free_running""".split()) + """
fathom pmu list a b
fathom pmu list --output-format=xml
fathom pmu list --devise=x
fathom pmu list page-fautls
fathom pmu stat
fathom pmu stat true
fathom pmu stat -e nonsuch true
fathom pmu stat -e page-fautls true
fathom pmu stat -e page-faults nowhere-such-command
fathom pmu stat -e page-faults -I 1 true
fathom pmu stat -e page-faults -r 0 true
fathom pmu stat -e page-faults --output-format=xml true
fathom pmu stat -e msr/tsc,term=1/ true
fathom pmu stat --evnt=page-faults true

# clocks: what is refused
fathom clock test --cpus=0-x
fathom clock test --cpus=4000
fathom clock test --barrier=wall
fathom clock test --entries=0
fathom clock test --inject=0
fathom clock test --jsn
fathom clock sources --jsn
"""

MEASURED = """
# engines that move bytes
fathom run --name=j --rw=read --filename=nowhere --allow_file_create=0 --size=64k
fathom run --name=n --ioengine=null --size=64m --rw=randrw --bs=4k
fathom run --output-format=json --name=n --ioengine=null --size=64m --rw=randrw --bs=4k
fathom run --output-format=json+ --name=n --ioengine=null --size=16m --rw=randread --iodepth=16
fathom run --output-format=json --name=p --ioengine=psync --filename=data --size=1m --rw=randread --bs=4k
fathom run --name=p --ioengine=psync --filename=data --size=1m --rw=randread --bs=4k
fathom run --name=w --ioengine=psync --filename=out --size=1m --rw=write --bs=16k --output-format=normal
fathom run --name=v --ioengine=psync --filename=out --size=1m --rw=randwrite --bs=4k --verify=crc32c
fathom run --output-format=json --name=v --ioengine=psync --filename=out --size=1m --rw=randwrite --bs=4k --verify=crc32c
fathom run --name=v --ioengine=psync --filename=data --size=1m --rw=randwrite --bs=4k --verify=crc32c --verify_only
fio --output-format=json --name=p --ioengine=psync --filename=data --size=1m --rw=randread --bs=4k
fio --name=p --ioengine=psync --filename=data --size=1m --rw=randread --bs=4k
fio --name=p --ioengine=psync --filename=out --size=256k --rw=randwrite --bs=4k --numjobs=2 --group_reporting
""" + "".join(f"fathom run --output-format={form} --name=e --ioengine={engine} --filename=data --size=256k --rw=randrw --bs=4k --audit=off\n"
             for form in ("normal", "json") for engine in ("sync", "pvsync2", "mmap", "libaio", "io_uring", "io_uring_cmd")) + """
fathom run --name=e --ioengine=io_uring --filename=data --size=256k --rw=randread --iodepth=8 --fixedbufs --registerfiles --hipri=0 --audit=off
fathom run --name=p --ioengine=null --size=1m --rate_iops=20k,5k --rw=randrw --audit=off --output-format=json
fathom run --name=t --ioengine=null --size=1m --thinktime=1ms --thinktime_blocks=64 --audit=off
fathom run --name=g --ioengine=null --size=4m --gtod_reduce=1 --audit=off --output-format=json
fathom run --name=c --ioengine=null --size=4m --clocksource=gettimeofday --audit=off
fathom run --name=l --ioengine=psync --nrfiles=3 --size=96k --rw=write --unlink=1 --audit=off
fathom run --name=l --ioengine=psync --nrfiles=3 --size=96k --create_only=1 --audit=off
fathom run --name=b --breakdown --ioengine=psync --filename=data --size=64k --rw=randread --audit=off
fathom run --repeat=2 --name=r --ioengine=null --size=4m --output-format=json --audit=off
fathom run --output-format=normal,json,spdk-stats --name=m --ioengine=null --size=4m --audit=off
fathom run --name=f --ioengine=psync --filename=data --size=2m --allow_file_create=0 --rw=read --audit=off
fio --name=f --ioengine=psync --filename=data --size=2m --allow_file_create=0 --rw=read
sh -c "fathom run --help > /dev/full"
sh -c "fathom pmu list > /dev/full"
sh -c "fathom run --name=n --ioengine=null --size=1m --audit=off > /dev/full"
setpriv --reuid=65534 --regid=65534 --clear-groups fathom run --name=d --ioengine=psync --filename=/etc/shadow --rw=read --size=1k --bs=512
"""


TIMED = """
fathom run --name=t --ioengine=null --time_based --runtime=1 --ramp_time=200ms --size=1m --output-format=json --audit=off
timeout --preserve-status -s INT 0.7 fathom run --name=i --ioengine=null --time_based --runtime=60 --size=4m --audit=off
timeout --preserve-status -s INT 0.7 fio --name=i --ioengine=null --time_based --runtime=60 --size=4m --output-format=json
timeout --preserve-status -s TERM 0.7 fathom run --name=i --ioengine=null --time_based --runtime=60 --size=4m --audit=off
"""

ALONE = """
# what takes the machine's clock or memory for itself
fathom doctor
fathom doctor --json
fathom clock sources
fathom clock sources --json
fathom clock test --entries=1000
fathom clock test --entries=1000 --json
fathom clock test --entries=1000 --barrier=all
fathom clock test --entries=1000 --inject=1:200us
fathom run --cpuclock-test
fathom paging --map=4M --set=2M --accesses=2000 --swap=none
fathom paging --map=4M --set=2M --accesses=2000 --swap=none --output-format=json
fathom paging --map=4M --set=2M --accesses=2000 --swap=none --output-format=json+
fathom paging --map=4M --set=2M --accesses=2000 --swap=none --output-format=xml
fathom paging --map=4M --set=2M --accesses=2000 --swap=none --output-format=csv
fathom paging --map=4M --set=2M --accesses=2000 --swap=none --output-format=pmbench
fathom paging --map=4M --set=2M --accesses=2000 --swap=none --access=touch
pmbench -m 4 -s 2 -c -q 1
pmbench -m 4 -s 2 -c -q -f out.xml 1
fathom pmu stat -e page-faults,context-switches true
fathom pmu stat -j -e page-faults,context-switches true
fathom pmu stat -x, -e page-faults,context-switches true
fathom pmu stat -r 3 -e page-faults true
fathom nvme perf --clock-check=skip --device=soft:ideal --number_ios=300 --iodepth=8
fathom nvme perf --clock-check=skip --device=soft:ideal --number_ios=300 --iodepth=8 --output-format=json
fathom nvme perf --clock-check=skip --device=soft:size=256k --size=256k --iodepth=8 --rw=randwrite --verify=crc32c
spdk_nvme_perf -q 8 -o 4096 -w randread -t 1 -d 300 -LL -r "trtype:SOFT traddr:ideal"
"""


def table(text, level=masks.EXACT, alone=False):
    return [Row(line, level, alone) for line in text.split("\n") if line and not line.startswith("#")]


def all_rows(answer):
    """The rows of the table, and those for each name that OLD's own help lists; answer(words) is what OLD prints."""
    return [*table(EXACT), *(Row(f"fathom run --parse-only --name=j --size=64k --{name}=1") for name in sweeps.NOT_BUILT), *table(MEASURED, masks.MEASURED),
            *table(TIMED, masks.TIMED), *(Row(text) for text in sweeps.texts(answer)), *table(ALONE, masks.MEASURED, True)]

"""Command lines as people have them in scripts, wikis and guides: where each kind of use is found, and its words. They are ours, written after that use;
devices and paths are what such a text would name.
"""
LINES = [
    ("dbench: random read IOPS", "--randrepeat=0 --verify=0 --ioengine=libaio --direct=1 --gtod_reduce=1 --name=read_iops --filename=/data/fiotest --bs=4K "
     "--iodepth=64 --size=2G --readwrite=randread --time_based --ramp_time=2s --runtime=15s"),
    ("dbench: latency", "--randrepeat=0 --verify=0 --ioengine=libaio --direct=1 --name=read_latency --filename=/data/fiotest --bs=4K --iodepth=4 --size=2G "
     "--readwrite=randread --time_based --ramp_time=2s --runtime=15s"),
    ("dbench: sequential writes by copies", "--randrepeat=0 --verify=0 --ioengine=libaio --direct=1 --gtod_reduce=1 --name=write_seq --filename=/data/fiotest "
     "--bs=1M --iodepth=16 --size=2G --readwrite=write --time_based --ramp_time=2s --runtime=15s --thread --numjobs=4 --offset_increment=500M"),
    ("dbench: mixed", "--randrepeat=0 --verify=0 --ioengine=libaio --direct=1 --gtod_reduce=1 --name=rw_mix --filename=/data/fiotest --bs=4k --iodepth=64 "
     "--size=2G --readwrite=randrw --rwmixread=75 --time_based --ramp_time=2s --runtime=15s"),
    ("exporter for Prometheus by JSON", "--name=probe --directory=/data --rw=randrw --bs=4k --size=256M --time_based --runtime=60 --status-interval=5 "
     "--output-format=json --lat_percentiles=1 --clat_percentiles=1 --group_reporting"),
    ("exporter for Prometheus by terse", "--name=probe --filename=/data/probe --rw=randread --bs=4k --size=256M --time_based --runtime=60 --group_reporting "
     "--status-interval=10 --output-format=terse --terse-version=3"),
    ("cbt", "--ioengine=libaio --runtime=300 --time_based --bs=4096B --iodepth=32 --direct=1 --rw=randwrite --size=4096M --end_fsync=0 --norandommap "
     "--write_iops_log=/data/out --write_bw_log=/data/out --write_lat_log=/data/out --log_avg_msec=100 --output-format=json,normal --name=cbt "
     "--filename=/data/cbt"),
    ("yabs: mixed by block size", "--name=rand_rw_4k --ioengine=libaio --rw=randrw --rwmixread=50 --bs=4k --iodepth=64 --numjobs=2 --size=2G --runtime=30 "
     "--gtod_reduce=1 --direct=1 --filename=/data/test.fio --group_reporting --minimal"),
    ("a cloud's guide: write throughput", "--name=write_throughput --directory=/mnt/disk --numjobs=16 --size=10G --time_based --runtime=60s --ramp_time=2s "
     "--ioengine=libaio --direct=1 --verify=0 --bs=1M --iodepth=64 --rw=write --group_reporting=1 --iodepth_batch_submit=64 "
     "--iodepth_batch_complete_max=64"),
    ("a cloud's guide: write IOPS", "--name=write_iops --directory=/mnt/disk --size=10G --time_based --runtime=60s --ramp_time=2s --ioengine=libaio --direct=1 "
     "--verify=0 --bs=4K --iodepth=256 --rw=randwrite --group_reporting=1 --iodepth_batch_submit=256 --iodepth_batch_complete_max=256"),
    ("a cloud's guide: read throughput of a disk", "--name=read_throughput --filename=/dev/sdb --numjobs=16 --time_based --runtime=300s --ramp_time=2s "
     "--ioengine=libaio --direct=1 --verify=0 --bs=1M --iodepth=64 --rw=read --offset_increment=30G --group_reporting=1 --readonly"),
    ("a cloud's guide: latency of random reads", "-direct=1 -iodepth=1 -rw=randread -ioengine=libaio -bs=4k -size=1G -numjobs=1 -group_reporting "
     "-filename=/data/iotest -name=Rand_Read_Latency_Testing"),
    ("a cloud's guide: one dash", "-direct=1 -iodepth=128 -rw=randwrite -ioengine=libaio -bs=4k -size=1G -numjobs=1 -runtime=1000 -group_reporting "
     "-filename=/data/iotest -name=Rand_Write_Testing"),
    ("a cloud's guide: volume initialisation", "--filename=/dev/xvdf --rw=read --bs=1M --iodepth=32 --ioengine=libaio --direct=1 --name=volume-initialize"),
    ("a cloud's guide: provisioned IOPS", "--directory=/mnt/p_iops_vol0 --ioengine=psync --name=fio_test_file --direct=1 --rw=randwrite --bs=16k --size=1G "
     "--numjobs=16 --time_based --runtime=180 --group_reporting --norandommap"),
    ("a cloud's guide: throughput optimised volumes", "--filename=/dev/md0 --direct=1 --rw=randrw --randrepeat=0 --refill_buffers --norandommap --bs=64k "
     "--ioengine=libaio --iodepth=32 --rwmixread=60 --numjobs=8 --runtime=60 --time_based --name=volume"),
    ("a container storage's test of etcd", "--rw=write --ioengine=sync --fdatasync=1 --directory=/var/lib/etcd --size=22m --bs=2300 --name=etcd"),
    ("a virtualisation's wiki: sync writes", "--ioengine=libaio --direct=1 --sync=1 --rw=write --bs=4K --numjobs=1 --iodepth=1 --runtime=60 --time_based "
     "--name=fio --filename=/dev/sdx"),
    ("a distribution's wiki: benchmark of an SSD", "--filename=/data/test --sync=1 --rw=randread --bs=4k --numjobs=1 --iodepth=4 --group_reporting --name=test "
     "--runtime=300 --size=1G --direct=1 --invalidate=1 --eta-newline=1"),
    ("questions and answers: random read and write", "--randrepeat=1 --ioengine=libaio --direct=1 --gtod_reduce=1 --name=test --filename=test --bs=4k --iodepth=64 "
     "--size=4G --readwrite=randrw --rwmixread=75"),
    ("a magazine: single small writes", "--name=random-write --ioengine=posixaio --rw=randwrite --bs=4k --numjobs=1 --size=4g --iodepth=1 --runtime=60 "
     "--time_based --end_fsync=1"),
    ("a magazine: 16 of 64 KiB", "--name=random-write --ioengine=posixaio --rw=randwrite --bs=64k --size=256m --numjobs=16 --iodepth=16 --runtime=60 "
     "--time_based --end_fsync=1"),
    ("a desktop tool's profile: Q32T1", "--output-format=json --randrepeat=0 --invalidate=1 --end_fsync=1 --refill_buffers --name=seq --size=1g --bs=1m --rw=write "
     "--ioengine=libaio --iodepth=32 --numjobs=1 --direct=1 --runtime=5 --loops=1 --filename=/data/kdisk"),
    ("a desktop tool's profile: no zeros", "--output-format=json --zero_buffers=0 --buffer_pattern=0xdeadbeef --name=rnd --size=1g --bs=4k --rw=randwrite --ioengine=libaio "
     "--iodepth=1 --direct=1 --runtime=5 --filename=/data/kdisk"),
    ("a test suite's pts profile", "--name=test --rw=randwrite --bs=4k --size=1g --ioengine=io_uring --direct=1 --buffered=0 --iodepth=64 --numjobs=1 --ramp_time=5 "
     "--runtime=20 --time_based --group_reporting --disk_util=0 --invalidate=1 --gtod_reduce=0 --directory=/data"),
    ("a file system's tests: aio and direct", "--name=aio-dio --directory=/mnt/scratch --ioengine=libaio --direct=1 --rw=randwrite --bs=4k --size=512m --iodepth=128 "
     "--fallocate=none --overwrite=0 --fsync_on_close=1 --unlink=1 --numjobs=4"),
    ("a file system's tests: many files", "--name=smallfiles --directory=/mnt/scratch --nrfiles=10000 --filesize=4k-16k --openfiles=10 --file_service_type=sequential "
     "--rw=write --bs=4k --create_on_open=1 --fallocate=none"),
    ("a file system's tests: fill the disk", "--name=fill --filename=/mnt/scratch/fill --rw=write --bs=1m --size=10m --fill_device=1 --end_fsync=1"),
    ("a data base's blog: write-ahead log", "--name=wal --directory=/data --rw=write --bs=8k --size=256m --fdatasync=1 --ioengine=psync --thinktime=1ms "
     "--thinktime_blocks=4"),
    ("a data base's blog: pages and log together", "--name=pages --directory=/data --rw=randrw --rwmixread=70 --bs=16k --size=1g --ioengine=libaio --iodepth=32 --direct=1 "
     "--runtime=60 --time_based --name=log --directory=/data --rw=write --bs=4k --size=256m --fsync=1 --runtime=60 --time_based --rate_iops=500"),
    ("a vendor's test: precondition", "--name=fill --filename=/dev/nvme0n1 --rw=write --bs=128k --iodepth=128 --ioengine=libaio --direct=1 --loops=2 --randrepeat=0 "
     "--refill_buffers --norandommap --numjobs=1"),
    ("a vendor's test: steady state", "--name=ss --filename=/dev/nvme0n1 --rw=randwrite --bs=4k --iodepth=32 --numjobs=4 --ioengine=libaio --direct=1 --group_reporting "
     "--time_based --runtime=3600 --ss=iops_slope:5% --ss_dur=300 --ss_ramp=60 --write_iops_log=ss --log_avg_msec=1000"),
    ("a vendor's test: quality of service", "--name=qos --filename=/dev/nvme0n1 --rw=randread --bs=4k --iodepth=1 --ioengine=io_uring --hipri=0 --fixedbufs --registerfiles "
     "--direct=1 --time_based --runtime=600 --percentile_list=50:99:99.9:99.99:99.999 --write_lat_log=qos --log_avg_msec=1000 --cpus_allowed=0"),
    ("a kernel developer's mail: polled io_uring", "--name=peak --filename=/dev/nvme0n1 --rw=randread --bs=512 --iodepth=128 --iodepth_batch_submit=32 "
     "--iodepth_batch_complete_min=32 --ioengine=io_uring --hipri=0 --fixedbufs=1 --registerfiles=1 --nonvectored=1 --direct=1 --runtime=10 --time_based "
     "--gtod_reduce=1 --norandommap --thread"),
    ("the manual: paced by Poisson arrivals", "--name=open --filename=/data/f --size=1g --rw=randread --bs=4k --ioengine=libaio --iodepth=32 --direct=1 --rate_iops=1000 "
     "--rate_process=poisson --runtime=30 --time_based"),
    ("the manual: how deep for a latency", "--name=depth --filename=/data/f --size=1g --rw=randread --bs=4k --ioengine=libaio --iodepth=128 --direct=1 --latency_target=10ms "
     "--latency_window=1s --latency_percentile=99 --runtime=30 --time_based"),
    ("the manual: compressible writes", "--name=comp --filename=/data/f --size=1g --rw=write --bs=64k --buffer_compress_percentage=50 --buffer_compress_chunk=4k "
     "--dedupe_percentage=20 --ioengine=psync"),
    ("the manual: a histogram log", "--name=hist --filename=/data/f --size=1g --rw=randread --bs=4k --write_hist_log=hist --log_hist_msec=1000 --log_hist_coarseness=3 "
     "--runtime=30 --time_based"),
    ("the manual: rates with a floor", "--name=floor --filename=/data/f --size=1g --rw=rw --bs=64k --rate=4m,2m --rate_min=1k --rate_cycle=1000 --runtime=30 --time_based"),
    ("the manual: think time and offload", "--name=off --filename=/data/f --size=256m --rw=randread --bs=4k --ioengine=libaio --iodepth=16 --io_submit_mode=offload --rate_iops=2000 "
     "--runtime=10 --time_based"),
    ("a script that watches a run", "--name=watch --filename=/data/f --size=1g --rw=randwrite --bs=4k --time_based --runtime=60 --eta=always --eta-newline=1 --eta-interval=500"),
    ("a script that parses the terse lines", "--name=a --filename=/data/f --size=1g --rw=randrw --bs=8k --time_based --runtime=10 --terse-version=5 --output-format=terse --append-terse"),
    ("a lab's script: nodes and priorities", "--name=pin --filename=/data/f --size=256m --rw=randread --bs=4k --ioengine=libaio --iodepth=8 --direct=1 --cpus_allowed=0-1 "
     "--cpus_allowed_policy=split --numjobs=2 --nice=5 --prioclass=2 --prio=4 --mem=mmap --iomem_align=4096 --lockmem=1m"),
    ("a lab's script: goes on after errors", "--name=err --filename=/data/f --size=256m --rw=randrw --bs=4k --continue_on_error=all --ignore_error=EIO,ENOSPC --error_dump=1 "
     "--max_latency=10s --exitall_on_error=1"),
    ("a lab's script: hot spots", "--name=hot --filename=/data/f --size=256m --rw=randread --bs=4k --random_distribution=zipf:1.1 --randseed=42 --random_generator=tausworthe64 "
     "--percentage_random=80 --unified_rw_reporting=mixed --significant_figures=6"),
]

"""Rows of scripts/same that are made: one for every name that OLD lists in its own help, so that what it has is what NEW is asked for; and one
for each of fio's options that were not built when this was written."""
import re

# Options of fio's that are not built, or were not when this was written.
NOT_BUILT = """
atomic block_error_percentiles bs_is_seq_rand buffer_compress_chunk buffer_pattern cgroup cgroup_nodelete cgroup_weight comm cpumask
dataplacement data_placement dedupe_global dedupe_mode dedupe_working_set_percentage dp_scheme end_syncfs error_dump exec_postrun exec_prerun
fadvise_hint fdp file_service_type filetype flow flow_id flow_sleep flow_watermark gid gpu_dev_id gtod_cpu hugepage-size ignore_error
ignore_zone_limits iomem_align mem_align ioscheduler job_max_open_zones job_start_clock_id latency_percentile latency_run latency_target
latency_window lockmem log_alternate_epoch log_alternate_epoch_clock_id log_avg_msec log_compression log_compression_cpus log_hist_coarseness
log_hist_msec log_issue_time log_offset log_prio log_store_compressed log_unix_epoch log_window_value log_max_value max_latency max_open_zones
merge_blktrace_file merge_blktrace_iters merge_blktrace_scalars nice num_range numa_cpu_nodes numa_mem_policy offset_align opendir openfiles
per_job_logs plid_select fdp_pli_select plids fdp_pli prio prioclass priohint profile ramp_size random_sequence_stride rate_cycle ratecycle
rate_ignore_thinktime rate_iops_min rate_min ratemin read_beyond_wp read_iolog read_iolog_chunked recover_zbd_write_error replay_align
replay_no_stall replay_redirect replay_scale replay_skip replay_time_scale significant_figures spr_cs spr_num_regions spr_op sprandom steadystate
ss steadystate_check_interval ss_interval steadystate_duration ss_dur steadystate_ramp_time ss_ramp sync_file_range thinkcycles thinktime_iotime
trim_backlog trim_backlog_batch trim_percentage trim_verify_zero uid unique_filename verify_async verify_async_cpus verify_backlog
verify_backlog_batch verify_dump verify_header_seed verify_offset header_offset verify_pattern verify_pattern_interval verify_policy
verify_state_load verify_state_save verify_write_sequence wait_for write_barrier write_bw_log write_hint write_hist_log write_iolog
write_iops_log write_lat_log write_zone_remainder zone_reset_frequency zone_reset_threshold zonecapacity zonerange zonesize zoneskip apptag
apptag_mask arguments bindname brick busy_poll busy_wait_polling cdb_len chunk_size clientname clustername cmdprio cmdprio_bssplit cmdprio_class
cmdprio_hint cmdprio_percentage conf cont cpuchunks cpuload cpumode cuda_io deac direct_write_to_pmem donorname exit_on_io_done gpu_dev_ids
grace_time hdfs_use_direct hdfsdirectory hostname http_host http_mode http_object_mode http_pass http_s3_key http_s3_keyid http_s3_region
http_s3_security_token http_s3_sse_customer_algorithm http_s3_sse_customer_key http_s3_storage_class http_swift_auth_token http_user http_verbose
https inplace interface libaio_vectored libblkio_driver libblkio_force_enable_completion_eventfd libblkio_num_entries libblkio_path
libblkio_pre_connect_props libblkio_pre_start_props libblkio_queue_size libblkio_vectored libblkio_wait_mode libblkio_write_zeroes_on_trim listen
md_per_io_size mss namenode nfs_url nodelay nowait object_class pi_act pi_chk pingpong pool port program protocol proto rbdname read_mode readfua
serverip sg_write_mode single-instance single_instance skip_bad stat_type std_redirect stream_id svcl thp touch_objects ttl uncached uri verb
verify_bytchk verify_mode volume window_size write_mode writefua xnvme_admin xnvme_async xnvme_be xnvme_dev_nsid xnvme_dev_subnqn xnvme_iovec
xnvme_mem xnvme_sync
""".split()

# Command that lists names; what a name looks like in its answer (every group is one); the rows for each name, in place of NAME
SWEEPS = [
    ("fathom help compat", r"^\| `([\w-]+)` \| ([\w, -]*)\|[^|]*\|[^|]*\|[^|]*\|$", [
        "fathom run --cmdhelp=NAME", "fathom run --debug=parse --parse-only --name=j --size=64k --NAME=VALUE",
        "fathom run --debug=parse --parse-only - <<< [j]\\nsize=64k\\nNAME=SOME\\n", "fio --parse-only --name=j --size=64k --NAME"]),
    ("fathom run --help", r"^  (?:-\w, |    )?--((?!cpuclock)[\w-]+)", ["fathom run --parse-only sections.fio --NAME=VALUE", "fathom run --parse-only sections.fio --NAME"]),
    ("fathom run --enghelp", r"^\t(\w+)", ["fathom run --enghelp=NAME", "fathom run --parse-only --debug=parse --name=j --size=64k --ioengine=NAME"]),
    ("fathom paging --help", r"^  --([\w-]+)", ["fathom paging --import=nowhere.xml --NAME=VALUE", "fathom paging --import=nowhere.xml --NAME"]),
    ("fathom paging learn --help", r"^  --([\w-]+)", ["fathom paging learn --NAME=VALUE", "fathom paging learn --NAME"]),
    ("fathom pmu stat --help", r"^  (-\w\b)?(?:, |    )?(--[\w-]+)?", ["fathom pmu stat NAME=VALUE nowhere-such-command", "fathom pmu stat NAME"]),
    ("fathom clock test --help", r"^  --([\w-]+)", ["fathom clock test --barrier=nothing --NAME=VALUE", "fathom clock test --NAME --barrier=nothing"]),
    ("fathom nvme perf --help", r"^  --([\w-]+)=", ["fathom nvme perf --device=soft --parse-only --NAME=VALUE", "fathom nvme perf --device=soft --parse-only --NAME"]),
    ("fathom nvme serve --help", r"^  --([\w-]+)", ["fathom nvme serve --socket=nowhere/x/y --NAME=VALUE"]),
    ("fathom nvme identify --help", r"^  --([\w-]+)", ["fathom nvme identify --device=soft/ns=9 --NAME=VALUE"]),
    ("pmbench --help", r"^  (-\w), (--\w+)", ["pmbench NAME VALUE -p unifrom", "pmbench NAME"]),
    ("spdk_nvme_perf --help", r"^  (?:(-\w), |    )(--[\w-]+)", ["spdk_nvme_perf NAME VALUE", "spdk_nvme_perf NAME"]),
]


def texts(answer):
    """answer(words) -> what OLD prints."""
    found = []
    for asked, pattern, templates in SWEEPS:
        groups = re.findall(pattern, answer(asked.split()), re.M)
        names = dict.fromkeys(name for group in groups for part in ([group] if isinstance(group, str) else group) for name in re.split(r"[, ]+", part) if name)
        found += [template.replace("NAME", name) for name in names for template in templates]
    return found

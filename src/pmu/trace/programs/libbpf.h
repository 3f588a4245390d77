// Opens libbpf when a breakdown is requested. Other runs do not need the library; without it, a request fails with an
// error. Its functions are called through this table, with the types of libbpf's own header.
// Thread rule: the table is made once and never changes; the library's own calls are for one thread at a time.
#pragma once
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "base/error.h"

namespace fathom::pmu::trace::programs {

struct Libbpf {
  decltype(&::libbpf_set_print) set_print = nullptr;
  decltype(&::bpf_object__open_mem) open = nullptr;
  decltype(&::bpf_object__load) load = nullptr;
  decltype(&::bpf_object__close) close = nullptr;
  decltype(&::bpf_object__find_map_by_name) find_map = nullptr;
  decltype(&::bpf_object__find_program_by_name) find_program = nullptr;
  decltype(&::bpf_object__next_program) next_program = nullptr;
  decltype(&::bpf_program__name) program_name = nullptr;
  decltype(&::bpf_map__set_max_entries) set_max_entries = nullptr;
  decltype(&::bpf_map__initial_value) initial_value = nullptr;
  decltype(&::bpf_map__fd) map_fd = nullptr;
  decltype(&::bpf_program__set_autoload) set_autoload = nullptr;
  decltype(&::bpf_program__fd) program_fd = nullptr;
  decltype(&::bpf_program__attach) attach = nullptr;
  decltype(&::bpf_program__attach_perf_event) attach_to_event = nullptr;
  decltype(&::bpf_program__section_name) section_name = nullptr;
  decltype(&::libbpf_num_possible_cpus) possible_cpus = nullptr;
  decltype(&::bpf_link__destroy) detach = nullptr;
  decltype(&::btf__load_vmlinux_btf) kernel_types = nullptr;
  decltype(&::btf__find_by_name_kind) find_type = nullptr;
  decltype(&::btf__free) free_types = nullptr;
};

// The library, opened by the first call. Error: it is not installed, or lacks one of these functions.
base::Expected<const Libbpf*> libbpf();

}  // namespace fathom::pmu::trace::programs

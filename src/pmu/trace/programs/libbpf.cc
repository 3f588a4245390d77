// One dlopen, and one dlsym per function.
#include "pmu/trace/programs/libbpf.h"

#include <string>

#include "base/system/shared_library.h"

namespace fathom::pmu::trace::programs {
namespace {

struct Loaded {
  Libbpf functions;
  std::string missing;  // what could not be loaded; empty: nothing
};

Loaded load() {
  Loaded loaded;
  base::system::SharedLibrary library("libbpf.so.1");
  auto& f = loaded.functions;
  library.take("libbpf_set_print", f.set_print);
  library.take("bpf_object__open_mem", f.open);
  library.take("bpf_object__load", f.load);
  library.take("bpf_object__close", f.close);
  library.take("bpf_object__find_map_by_name", f.find_map);
  library.take("bpf_object__find_program_by_name", f.find_program);
  library.take("bpf_object__next_program", f.next_program);
  library.take("bpf_program__name", f.program_name);
  library.take("bpf_map__set_max_entries", f.set_max_entries);
  library.take("bpf_map__initial_value", f.initial_value);
  library.take("bpf_map__fd", f.map_fd);
  library.take("bpf_program__set_autoload", f.set_autoload);
  library.take("bpf_program__fd", f.program_fd);
  library.take("bpf_program__attach", f.attach);
  library.take("bpf_program__attach_perf_event", f.attach_to_event);
  library.take("bpf_program__section_name", f.section_name);
  library.take("libbpf_num_possible_cpus", f.possible_cpus);
  library.take("bpf_link__destroy", f.detach);
  library.take("btf__load_vmlinux_btf", f.kernel_types);
  library.take("btf__find_by_name_kind", f.find_type);
  library.take("btf__free", f.free_types);
  loaded.missing = library.missing();
  return loaded;
}

}  // namespace

base::Expected<const Libbpf*> libbpf() {
  static const Loaded kLoaded = load();
  if (kLoaded.missing.empty()) return &kLoaded.functions;
  return base::Error{.kind = base::ErrorKind::privilege,
                     .what = "the library that loads BPF programs is missing",
                     .cause = kLoaded.missing,
                     .help = "install libbpf1",
                     .place = std::nullopt};
}

}  // namespace fathom::pmu::trace::programs

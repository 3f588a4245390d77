// One dlopen, and a dlsym a function.
#include "pmu/trace/programs/libbpf.h"

#include <dlfcn.h>

#include <string>

namespace fathom::pmu::trace::programs {
namespace {

struct Loaded {
  Libbpf functions;
  std::string missing;  // what could not be had; empty: nothing
};

template <class Function>
void look_up(void* library, const char* symbol, Function& function, std::string& missing) {
  function = reinterpret_cast<Function>(::dlsym(library, symbol));
  if (function == nullptr) missing = symbol;
}

Loaded load() {
  Loaded loaded;
  void* const library = ::dlopen("libbpf.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* why = ::dlerror();
    loaded.missing = why != nullptr ? why : "libbpf.so.1";
    return loaded;
  }
  auto& f = loaded.functions;
  const auto take = [&](const char* symbol, auto& function) { look_up(library, symbol, function, loaded.missing); };
  take("libbpf_set_print", f.set_print);
  take("bpf_object__open_mem", f.open);
  take("bpf_object__load", f.load);
  take("bpf_object__close", f.close);
  take("bpf_object__find_map_by_name", f.find_map);
  take("bpf_object__find_program_by_name", f.find_program);
  take("bpf_object__next_program", f.next_program);
  take("bpf_program__name", f.program_name);
  take("bpf_map__set_max_entries", f.set_max_entries);
  take("bpf_map__initial_value", f.initial_value);
  take("bpf_map__fd", f.map_fd);
  take("bpf_program__set_autoload", f.set_autoload);
  take("bpf_program__fd", f.program_fd);
  take("bpf_program__attach", f.attach);
  take("libbpf_num_possible_cpus", f.possible_cpus);
  take("bpf_link__destroy", f.detach);
  take("libbpf_find_vmlinux_btf_id", f.find_in_kernel);
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

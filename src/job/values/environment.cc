// The values that a job text may refer to, from this process and machine.
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <memory>

#include "base/files/input_file.h"
#include "job/command.h"

namespace fathom::job {
namespace {

unsigned positive(long value) { return value > 0 ? static_cast<unsigned>(value) : 1; }

}  // namespace

Environment Environment::of_this_process() {
  Environment env;
  env.getenv = [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    if (!value) return std::nullopt;
    return std::string(value);
  };
  env.read_file = [](const std::string& path) {
    auto text = base::files::read_input("job file", path, kMostJobFile_bytes);
    if (!text && text.error().sys_errno == ENOENT) text.error().kind = base::ErrorKind::usage;
    return text;
  };
  env.ncpus = positive(::sysconf(_SC_NPROCESSORS_ONLN));
  env.ncpus_configured = positive(::sysconf(_SC_NPROCESSORS_CONF));
  env.page_bytes = positive(::sysconf(_SC_PAGESIZE));
  env.memory_mib = positive(::sysconf(_SC_PHYS_PAGES)) * env.page_bytes >> 20;
  if (std::unique_ptr<char, decltype(&std::free)> cwd(::getcwd(nullptr, 0), &std::free); cwd) env.cwd = cwd.get();
  return env;
}

}  // namespace fathom::job

// What a job text may refer to, taken from this process and machine.
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "job/command.h"

namespace fathom::job {
namespace {

base::Expected<std::string> read_whole_file(const std::string& path) {
  struct Close {
    void operator()(std::FILE* f) const {
      if (f != stdin) std::fclose(f);
    }
  };
  const std::unique_ptr<std::FILE, Close> file(path == "-" ? stdin : std::fopen(path.c_str(), "re"));
  const auto failed = [&] {
    base::Error e = base::system_error("job file " + path, errno);
    if (e.sys_errno == ENOENT) e.kind = base::ErrorKind::usage;
    return e;
  };
  if (!file) return failed();
  std::string text;
  char block[65536];
  while (const std::size_t n = std::fread(block, 1, sizeof block, file.get())) text.append(block, n);
  if (std::ferror(file.get())) return failed();
  return text;
}

unsigned positive(long value) { return value > 0 ? static_cast<unsigned>(value) : 1; }

}  // namespace

Environment Environment::of_this_process() {
  Environment env;
  env.getenv = [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    if (!value) return std::nullopt;
    return std::string(value);
  };
  env.read_file = read_whole_file;
  env.ncpus = positive(::sysconf(_SC_NPROCESSORS_ONLN));
  env.ncpus_configured = positive(::sysconf(_SC_NPROCESSORS_CONF));
  env.page_bytes = positive(::sysconf(_SC_PAGESIZE));
  env.memory_mib = positive(::sysconf(_SC_PHYS_PAGES)) * env.page_bytes >> 20;
  if (std::unique_ptr<char, decltype(&std::free)> cwd(::getcwd(nullptr, 0), &std::free); cwd) env.cwd = cwd.get();
  return env;
}

}  // namespace fathom::job

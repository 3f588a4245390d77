// The files that the jobs of a run write, beside their targets.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/files/place.h"
#include "engine/engine.h"
#include "job/fields/logs.h"
#include "job/fields/process_options.h"
#include "job/fields/replay.h"
#include "run/logs/log_kinds.h"
#include "run/runner.h"
#include "run/verify_states.h"
#include "verify/state/state_live.h"

namespace fathom::run {

std::vector<WrittenFile> written_files(const std::vector<files::Plan>& plans) {
  using Keeps = WrittenFile::Keeps;
  std::map<std::string, WrittenFile> files;
  const auto add = [&](std::string path, const char* option, Keeps keeps = Keeps::nothing) {
    files.emplace(path, WrittenFile{option, path, keeps});
  };
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const auto& job = plans[i].job;
    if (const auto& iolog = job.of<job::fields::Logs>().iolog; !iolog.empty())
      add(iolog, "write_iolog", Keeps::foreign);
    if (const auto& replay = job.of<job::fields::Replay>(); replay.merges())
      add(replay.merge_file, "merge_blktrace_file", Keeps::foreign);
    for (auto& name : logs::log_names(job, i + 1)) add(std::move(name), "write_*_log");
    if (const auto& memory = job.of<job::fields::BufferMemory>(); !memory.file.empty())
      add(memory.file, "mem", memory.kind == job::fields::MemoryKind::mmapshared ? Keeps::foreign : Keeps::all);
    const auto& commands = job.of<job::fields::ProcessOptions>();
    const auto name = base::files::file_name_of(job.name);
    if (!commands.exec_prerun.empty()) add(name + ".prerun.txt", "exec_prerun");
    if (!commands.exec_postrun.empty()) add(name + ".postrun.txt", "exec_postrun");
    std::vector<std::string> targets;
    for (const auto& target : plans[i].targets) targets.push_back(target.path);
    for (auto& file : engine::files_beside(job.ioengine, job.engine, job.name, targets))
      add(std::move(file.path), "ioengine", file.keeps_foreign ? Keeps::foreign : Keeps::nothing);
    if (keeps_state(plans[i])) {
      const auto state = state_name(plans[i], i);
      add(state, "verify_state_save", Keeps::all_but_states);
      add(verify::state::live_file_name(state), "verify_state_save", Keeps::all);
    }
  }
  std::vector<WrittenFile> out;
  out.reserve(files.size());
  for (auto& [path, file] : files) out.push_back(std::move(file));
  return out;
}

}  // namespace fathom::run

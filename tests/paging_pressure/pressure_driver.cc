// Pressure alone, without measuring: what `fathom paging` does with it, small enough to be killed a thousand times.
//   pressure_driver clean
//   pressure_driver hold|kill-me [OPTION...]   set up, say what is, wait for the end of stdin, restore
// Options: limit=BYTES swap=zram:BYTES|file:PATH:BYTES|dev:PATH|none only allow=DEV set=NAME=VALUE touch=MIB
// fit=SET_BYTES
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "paging/pressure/pressure.h"

namespace {

using namespace fathom;

struct Wish {
  paging::PressurePlan plan;
  std::size_t touch_mib = 0;
};

paging::SwapPlan swap_of(const std::string& text) {
  using Kind = paging::SwapPlan::Kind;
  const auto first = text.find(':'), last = text.rfind(':');
  const std::string kind = text.substr(0, first), rest = first == text.npos ? "" : text.substr(first + 1);
  if (kind == "zram") return {Kind::zram, text, "", std::strtoull(rest.c_str(), nullptr, 10), ""};
  if (kind == "dev") return {Kind::device, text, rest, 0, ""};
  if (kind == "none") return {Kind::none, text, "", 0, ""};
  if (kind != "file") return {};
  return {Kind::file, text, text.substr(first + 1, last - first - 1),
          std::strtoull(text.c_str() + last + 1, nullptr, 10), ""};
}

Wish wish_of(int argc, char** argv) {
  Wish wish;
  for (int i = 2; i < argc; ++i) {
    const std::string word = argv[i];
    const auto equals = word.find('=');
    const std::string name = word.substr(0, equals), value = equals == word.npos ? "" : word.substr(equals + 1);
    if (name == "limit") wish.plan.limit_bytes = std::strtoull(value.c_str(), nullptr, 10);
    if (name == "swap") wish.plan.swap = swap_of(value);
    if (name == "only") wish.plan.only = true;
    if (name == "allow") wish.plan.allow_destructive.push_back(value);
    if (name == "set")
      wish.plan.settings.emplace_back(value.substr(0, value.find('=')), value.substr(value.find('=') + 1));
    if (name == "touch") wish.touch_mib = std::strtoull(value.c_str(), nullptr, 10);
  }
  return wish;
}

void say(const char* what, const std::string& text) {
  std::printf("%s %s\n", what, text.c_str());
  std::fflush(stdout);
}

void say(const std::vector<result::Finding>& findings) {
  for (const auto& f : findings) say("finding", f.id + ": " + f.evidence + " | " + f.remedy);
}

void clean() {
  for (const auto& left : fathom::paging::pressure::clean_up()) {
    for (const auto& text : left.undone) say("undone", std::to_string(left.pid) + " " + text);
    for (const auto& text : left.failed) say("failed", std::to_string(left.pid) + " " + text);
  }
}

// Touches memory in the cgroup and stays there.
int start_toucher(fathom::paging::pressure::Pressure& pressure, std::size_t mib) {
  int go[2], done[2];
  if (::pipe(go) != 0 || ::pipe(done) != 0) return -1;
  const int pid = ::fork();
  char byte = 0;
  if (pid == 0) {
    if (::read(go[0], &byte, 1) != 1) ::_exit(1);
    std::vector<char> memory(mib << 20);
    for (std::size_t i = 0; i < memory.size(); i += 64) memory[i] = static_cast<char>(i * 2654435761u >> 7);
    if (::write(done[1], "d", 1) != 1) ::_exit(1);
    for (;;) ::pause();
  }
  const auto joined = pressure.join(pid);
  say("joined", joined.ok() ? "yes" : "no");
  if (::write(go[1], "g", 1) != 1 || ::read(done[0], &byte, 1) != 1) say("toucher", "died");
  return pid;
}

void say_facts(const result::PagingPressure& facts) {
  say("limit", std::to_string(facts.limit_bytes) + " " + facts.controller);
  for (const auto& s : facts.swaps) {
    say("swap", s.kind + " " + s.path + " disk=" + s.disk + " size=" + std::to_string(s.size_bytes) +
                    " used=" + std::to_string(s.used_bytes) + " stored=" + std::to_string(s.stored_bytes) +
                    " compressed=" + std::to_string(s.compressed_bytes));
  }
  for (const auto& [name, value] : facts.settings) say("setting", name + "=" + value);
  for (const auto& name : facts.changed) say("changed", name);
  for (const auto& text : facts.not_possible) say("not_possible", text);
}

int hold(const Wish& wish) {
  std::vector<result::Finding> findings;
  auto pressure = fathom::paging::pressure::Pressure::set_up(wish.plan, findings);
  if (!pressure) {
    say("error", pressure.error().what + " | " + pressure.error().cause + " | " + pressure.error().help);
    return 1;
  }
  say(findings);
  const int toucher = wish.touch_mib > 0 ? start_toucher(**pressure, wish.touch_mib) : -1;
  say("cgroup", (*pressure)->cgroup_path());
  say_facts((*pressure)->facts());
  say("ready", std::to_string(toucher));
  char byte;
  while (::read(0, &byte, 1) > 0) {
  }
  say((*pressure)->restore());
  say("restored", "");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  clean();
  if (what == "clean") return 0;
  return hold(wish_of(argc, argv));
}

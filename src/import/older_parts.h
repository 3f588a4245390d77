// The parts of reading an older result: see older_result.cc. `document` is the whole file, of which fio's half is read.
#pragma once
#include "import/json_fields.h"

namespace fathom::import {

// One path in several jobs is filled only if it is in all of them.
class Filled {
 public:
  // all: of another program's file, which has nothing else.
  explicit Filled(JsonDocument& in, bool all = false) : in_(in), all_(all) {}
  ~Filled() {
    for (const auto& path : filled_)
      if (!missed_.contains(path)) in_.lacking().erase(path);
  }
  Filled(const Filled&) = delete;

  bool wants(const char* ours) const { return all_ || in_.lacking(ours); }
  void mark(const char* ours, bool filled) { (filled ? filled_ : missed_).insert(in_.path().of(ours)); }
  // fio's value in the place of ours.
  template <class T>
  void take(JsonReader& fio, const char* theirs, const char* ours, T& value) {
    if (!wants(ours)) return;
    const bool there = fio.there(theirs, false);
    if (there) fio.field(theirs, value);
    mark(ours, there);
  }
  template <class T>
  void set(const char* ours, T& value, T known) {
    if (wants(ours)) value = std::move(known), mark(ours, true);
  }
  JsonDocument& in() { return in_; }

 private:
  JsonDocument& in_;
  bool all_;
  std::set<std::string> filled_, missed_;
};

// What may be in fio's half.
template <class T>
void get(JsonReader& fio, const char* key, T& value) {
  if (fio.there(key, false)) fio.field(key, value);
}

// As the job has it, else [global]; nullptr: neither.
const std::string* option_of(const result::Run& run, const result::Job& job, std::string_view name);
void take_fio_job(Filled& fill, const JsonNode& node, const result::Run& run, result::Job& job);
void take_fio_head(Filled& fill, const JsonNode& document, result::Run& run);  // date, zone, options, disks

}  // namespace fathom::import

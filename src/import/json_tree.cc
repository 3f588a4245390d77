// Builds the tree. The parser does not report the position of a value, so it reads through an iterator that counts.
#include "import/json_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "import/place.h"

namespace fathom::import {
namespace {

// An iterator over the text that records the parser's position.
class Reading {
 public:
  // NOLINTBEGIN(readability-identifier-naming): the names are the standard's
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;
  // NOLINTEND(readability-identifier-naming)

  Reading(const char* at, const char** come) : at_(at), come_(come) {}
  reference operator*() const { return *at_; }
  Reading& operator++() {
    *come_ = ++at_;
    return *this;
  }
  Reading operator++(int) {
    Reading before = *this;
    ++*this;
    return before;
  }
  bool operator==(const Reading& other) const { return at_ == other.at_; }
  bool operator!=(const Reading& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  const char** come_;
};

// "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error while ... - invalid literal; last
// read: '...'": the cause is in the middle. It may quote a number of any length.
std::string cause_of(std::string_view what) {
  const auto dash = what.rfind(" - ");
  if (dash != std::string_view::npos)
    what.remove_prefix(dash + 3);
  else if (const auto bracket = what.find("] "); bracket != std::string_view::npos)
    what.remove_prefix(bracket + 2);
  constexpr std::size_t kMost = 160;
  what = what.substr(0, what.find("; last read"));
  return std::string(what.substr(0, kMost)) + (what.size() > kMost ? "..." : "");
}

// The index of the first child with a repeated name; 0: no such child. Equal names share one string.
std::uint32_t first_twice(const std::vector<JsonNode>& children) {
  std::vector<std::pair<const char*, std::uint32_t>> names;
  names.reserve(children.size());
  for (const auto& child : children) names.emplace_back(child.name.data(), static_cast<std::uint32_t>(names.size()));
  std::sort(names.begin(), names.end());
  std::uint32_t first = 0;
  for (std::size_t i = 1; i < names.size(); ++i)
    if (names[i].first == names[i - 1].first && (first == 0 || names[i].second < first)) first = names[i].second;
  return first;
}

}  // namespace

class JsonTree::Builder {
 public:
  using Json = nlohmann::json;
  // NOLINTBEGIN(readability-identifier-naming): the names are nlohmann's
  using number_integer_t = Json::number_integer_t;
  using number_unsigned_t = Json::number_unsigned_t;
  using number_float_t = Json::number_float_t;
  using string_t = Json::string_t;
  using binary_t = Json::binary_t;
  // NOLINTEND(readability-identifier-naming)

  explicit Builder(JsonTree& tree) : tree_(tree), come_(tree.text_.data()) {}

  bool null() { return add({}); }
  bool boolean(bool value) {
    JsonNode node = of(JsonNode::Kind::boolean);
    node.boolean = value;
    return add(std::move(node));
  }
  bool number_integer(number_integer_t value) {
    JsonNode node = of(JsonNode::Kind::integer);
    node.integer = value;
    return add(std::move(node));
  }
  bool number_unsigned(number_unsigned_t value) {
    JsonNode node = of(JsonNode::Kind::count);
    node.count = value;
    return add(std::move(node));
  }
  bool number_float(number_float_t value, const string_t&) {
    JsonNode node = of(JsonNode::Kind::real);
    node.real = value;
    return add(std::move(node));
  }
  bool string(string_t& value) {
    JsonNode node = of(JsonNode::Kind::text);
    node.text = kept(value);
    return add(std::move(node));
  }
  bool binary(binary_t&) { return false; }
  bool key(string_t& name) {
    key_ = kept(name);
    key_offset_ = offset();
    return true;
  }
  bool start_object(std::size_t) { return open(JsonNode::Kind::object); }
  bool start_array(std::size_t) { return open(JsonNode::Kind::array); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& problem) {
    error_ = tree_.error(position == 0 ? 0 : position - 1, "not a JSON document", cause_of(problem.what()));
    return false;
  }

  const char** come() { return &come_; }
  const base::Error& error() const { return *error_; }

 private:
  static JsonNode of(JsonNode::Kind kind) {
    JsonNode node;
    node.kind = kind;
    return node;
  }
  std::uint32_t offset() const { return static_cast<std::uint32_t>(come_ - tree_.document_.data()); }
  std::string_view kept(const std::string& text) { return *tree_.strings_.insert(text).first; }
  bool refuse(std::string what, std::string cause) {
    error_ = tree_.error(offset(), std::move(what), std::move(cause));
    return false;
  }
  bool named(JsonNode& node) {
    if (++values_ > kMostJsonValues) return refuse("too many values", fmt::format("at most {}", kMostJsonValues));
    node.offset = key_.data() ? key_offset_ : offset();
    node.name = key_;
    key_ = {};
    return true;
  }
  bool put(JsonNode node) {
    if (open_.empty())
      tree_.root_ = std::move(node);
    else
      open_.back().children.push_back(std::move(node));
    return true;
  }
  bool add(JsonNode node) { return named(node) && put(std::move(node)); }
  bool open(JsonNode::Kind kind) {
    JsonNode node = of(kind);
    if (!named(node)) return false;
    if (open_.size() >= kMostJsonDepth) return refuse("nested too deeply", fmt::format("at most {}", kMostJsonDepth));
    if (kind == JsonNode::Kind::array) node.children.reserve(2);  // most have a value of a histogram and its count
    open_.push_back(std::move(node));
    return true;
  }
  bool close() {
    JsonNode node = std::move(open_.back());
    open_.pop_back();
    node.children.shrink_to_fit();
    if (node.is(JsonNode::Kind::object)) node.twice = first_twice(node.children);
    return put(std::move(node));
  }

  JsonTree& tree_;
  const char* come_;
  std::string_view key_;
  std::uint32_t key_offset_ = 0;
  std::size_t values_ = 0;
  std::vector<JsonNode> open_;
  std::optional<base::Error> error_;
};

const char* kind_name(const JsonNode& node) {
  constexpr const char* kNames[] = {"null",     "true or false", "a whole number", "a number below 0",
                                    "a number", "a text",        "an object",      "an array"};
  return kNames[static_cast<std::size_t>(node.kind)];
}

const JsonNode* JsonNode::member(std::string_view member_name) const {
  const auto found =
      std::find_if(children.begin(), children.end(), [&](const JsonNode& child) { return child.name == member_name; });
  return is(Kind::object) && found != children.end() ? &*found : nullptr;
}

JsonTree::JsonTree(std::string_view document, std::string_view text, std::string file_name)
    : document_(document), text_(text), file_name_(std::move(file_name)) {}

base::Error JsonTree::error(std::size_t offset, std::string what, std::string cause) const {
  base::Error error;
  error.what = std::move(what);
  error.cause = std::move(cause);
  error.place = place_in(text_, file_name_, static_cast<std::size_t>(document_.data() - text_.data()) + offset);
  return error;
}

base::Expected<void> JsonTree::parse() {
  Builder builder(*this);
  const char* begin = document_.data();
  if (nlohmann::json::sax_parse(Reading(begin, builder.come()), Reading(begin + document_.size(), builder.come()),
                                &builder))
    return {};
  return builder.error();
}

}  // namespace fathom::import

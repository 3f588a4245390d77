// How the machine was set, from the element `fathom`. Without an element `pressure` it is not known.
#include "import/pmbench_parts.h"

namespace fathom::import {
namespace {

result::PagingSwap read_swap(XmlReader& in, pugi::xml_node node) {
  result::PagingSwap swap;
  swap.kind = in.text(node, "kind");
  swap.name = in.text(node, "name");
  swap.path = in.text(node, "path");
  swap.disk = in.text(node, "disk");
  swap.size_bytes = in.count(node, "size_bytes");
  swap.used_bytes = in.count(node, "used_bytes");
  swap.compressor = in.text(node, "compressor");
  swap.stored_bytes = in.count(node, "stored_bytes");
  swap.compressed_bytes = in.count(node, "compressed_bytes");
  return swap;
}

}  // namespace

void read_pressure(XmlReader& in, pugi::xml_node fathom, result::PagingPressure& pressure) {
  const auto node = fathom.child("pressure");
  if (!node) return;
  pressure.known = true;
  pressure.limit_bytes = in.count(node, "limit_bytes");
  pressure.controller = in.text(node, "controller");
  for (const auto swap : node.child("swaps").children("swap")) pressure.swaps.push_back(read_swap(in, swap));
  for (const auto setting : node.child("settings").children("setting"))
    pressure.settings.emplace_back(setting.attribute("name").value(), setting.child_value());
  for (const auto name : node.children("changed")) pressure.changed.emplace_back(name.child_value());
  for (const auto line : node.children("not_possible")) pressure.not_possible.emplace_back(line.child_value());
}

}  // namespace fathom::import

// SPDX-License-Identifier: Apache-2.0
// A plan in words, for people: `octavo fft --plan`.
#include <string>

#include "octavo/base/bytes.hpp"
#include "octavo/fft/plan.hpp"

namespace octavo::fft {

namespace {

std::string list(const std::vector<int>& axes, const std::string& none) {
  if (axes.empty()) return none;
  std::string text = axes.size() == 1 ? "axis " : "axes ";
  for (std::size_t i = 0; i < axes.size(); ++i) text += (i ? ", " : "") + std::to_string(axes[i]);
  return text;
}

std::string count(std::int64_t n, const std::string& one, const std::string& many) { return std::to_string(n) + " " + (n == 1 ? one : many); }

std::string name(store_kind store) { return store == store_kind::source ? "source" : store == store_kind::target ? "target" : "scratch"; }

std::string name(norm_kind norm) { return norm == norm_kind::backward ? "backward" : norm == norm_kind::ortho ? "ortho" : "forward"; }

std::string pass_text(const FftPlan& plan, const FftPass& pass, std::size_t number) {
  std::string text = "pass " + std::to_string(number) + ": " + list(pass.axes, "copy") + ", " + name(pass.reads) + " -> " + name(pass.writes);
  if (pass.reads == pass.writes) text += " (in place)";
  text += "\n  " + count(pass.boxes, "box", "boxes") + " of " + pass.box.text() + " (" + format_bytes(pass.box.count() * size_of(plan.out_type)) + ", " +
          format_bytes(pass.box_memory) + " in memory" + (pass.regroup ? ", regrouped" : "") + ")";
  text += "\n  reads " + format_bytes(pass.bytes_read) + " in parts of " + format_bytes(pass.read_run) + ", writes " + format_bytes(pass.bytes_written) +
          " in parts of " + format_bytes(pass.write_run) + "\n";
  return text;
}

}  // namespace

std::string FftPlan::text() const {
  std::int64_t moved = 0;
  for (const auto& pass : passes) moved += pass.bytes_read + pass.bytes_written;
  std::string text = copy ? "copy of " + shape.text() + " " + std::string(name_of(type)) + "\n"
                          : std::string(inverse ? "inverse" : "forward") + " transform of " + shape.text() + " " + std::string(name_of(type)) + " over " +
                                list(axes, "no axes") + " to " + std::string(name_of(out_type)) + ", norm " + name(norm) + "\n";
  text += count(static_cast<std::int64_t>(passes.size()), "pass", "passes") + ", " + format_bytes(moved) + " moved; ";
  text += uses_scratch ? "scratch file of " + format_bytes(scratch_bytes) + " in pages of " + scratch_chunk.text() + "\n" : "no scratch file\n";
  for (std::size_t i = 0; i < passes.size(); ++i) text += pass_text(*this, passes[i], i + 1);
  text += "target chunk " + target_chunk.text() + " (" + format_bytes(target_chunk.count() * size_of(out_type)) + ")\n";
  text += "memory " + format_bytes(memory.total) + ": boxes " + format_bytes(memory.pool) + " (" + count(transforms, "transform", "transforms") + " x " +
          count(depth, "box", "boxes") + " in flight), staging " + std::to_string(devices) + " x " + format_bytes(memory.staging) + ", work " +
          std::to_string(transforms) + " x " + format_bytes(memory.work) + ", rings " + format_bytes(memory.rings) +
          (memory.stores != 0 ? ", decoding and encoding " + format_bytes(memory.stores) : "") + "\n";
  if (others_devices != 0) text += "not counted: what " + count(others_devices, "device", "devices") + " of the arrays take, which the job did not make\n";
  return text;
}

}  // namespace octavo::fft

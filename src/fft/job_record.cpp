// SPDX-License-Identifier: Apache-2.0
#include "fft/job_record.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <nlohmann/json.hpp>

namespace octavo::fft {

namespace {

using Json = nlohmann::ordered_json;

std::vector<std::int64_t> list_of(const Shape& shape) { return {shape.begin(), shape.end()}; }

const char* name_of(store_kind kind) { return kind == store_kind::source ? "source" : kind == store_kind::scratch ? "scratch" : "target"; }

const char* name_of(norm_kind norm) { return norm == norm_kind::backward ? "backward" : norm == norm_kind::ortho ? "ortho" : "forward"; }

Json source_of(const Storage& source) {
  struct stat status {};
  Json json{{"path", source.path}, {"shape", list_of(source.shape)}, {"chunk", list_of(source.chunk)}, {"dtype", std::string(octavo::name_of(source.type))}};
  if (::stat(source.path.c_str(), &status) == 0) json["device"] = status.st_dev, json["inode"] = status.st_ino;
  return json;
}

// Boxes that only the page cache had are gone when the machine has been started anew.
std::string boot_id() {
  std::string id;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), id);
  return id;
}

std::string host() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

}  // namespace

std::string plan_record(const JobOptions& options, const Storage& source, const FftPlan& plan) {
  Json json{{"octavo_job", 1}, {"host", host()}, {"boot", boot_id()}, {"pid", ::getpid()}};
  json["operation"] = plan.copy ? "copy" : plan.inverse ? "ifft" : "fft";
  json["source"] = source_of(source);
  json["target"] = {{"path", options.target}, {"chunk", list_of(plan.target_chunk)}, {"dtype", std::string(octavo::name_of(plan.out_type))}};
  json["axes"] = plan.axes;
  json["norm"] = name_of(plan.norm);
  json["memory"] = options.memory;
  json["passes"] = Json::array();
  for (const auto& pass : plan.passes)
    json["passes"].push_back(
        {{"axes", pass.axes}, {"box", list_of(pass.box)}, {"boxes", pass.boxes}, {"reads", name_of(pass.reads)}, {"writes", name_of(pass.writes)}});
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string box_record(int pass, std::int64_t box) { return "{\"pass\": " + std::to_string(pass) + ", \"box\": " + std::to_string(box) + "}"; }

}  // namespace octavo::fft

// SPDX-License-Identifier: Apache-2.0
#include "fft/job_arrays.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "data/format/pages/page_array.hpp"
#include "fft/job_paths.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"
#include "octavo/data/open_array.hpp"
#include "octavo/fft/transform.hpp"
#include "process/endpoint.hpp"

namespace octavo::fft {

namespace {

bool is_name(const std::string& path) { return path.starts_with("ov://"); }

// A path, and where the pages of an Octavo array lie that is there.
std::vector<std::string> places_of(const std::string& path) {
  std::vector<std::string> places{path};
  try {
    if (!path.empty() && is_page_array(path))
      for (const auto& file : open_page_array(path).files) places.push_back(file);
  } catch (const error& e) {
    log_line("looking where the pages of '" + path + "' lie: " + e.what());
  }
  return places;
}

// Also where the device is on another machine: its disk may be this one's, too.
void check_apart(const std::string& path, const std::string& pages) {
  if (path.empty() || pages.empty()) return;
  const auto mine = real_path(path), theirs = real_path(pages);
  if (is_within(mine, theirs) || is_within(theirs, mine))
    throw usage_error("'" + path + "' is where a device of the job's other array has its pages, '" + pages + "'", "Choose another path");
}

using Pages = std::pair<Address, std::string>;  // of a device: its file

// Two arrays over one file, by devices of their own. (The same device in both is a job in place.)
void check_files_apart(const std::vector<Pages>& source, const std::vector<Pages>& target) {
  for (const auto& from : source)
    for (const auto& to : target)
      if (from.first != to.first && from.first.agent == to.first.agent && from.second == to.second && !to.second.empty())
        throw usage_error("the source and the target have their pages in one file, '" + to.second + "'", "Give another target, or the source itself");
}

std::optional<Array> opened(const std::optional<Array>& given, const std::string& path) {
  if (given || !is_name(path)) return given;
  return open_array(path);
}

void check_one_source(const JobOptions& options) {
  if (options.from && (!options.source.empty() || options.opened || options.raw))
    throw usage_error("a job with two sources: an Array, and " + (options.source.empty() ? "a file" : "'" + options.source + "'"), "Give one of them");
  if (!options.from && !options.opened && options.source.empty())
    throw usage_error("a job without a source", "Give `source`, a path or a name, or `from`, an Array");
}

void check_one_target(const JobOptions& options) {
  const auto& as = options.target_as;
  if (options.to && !options.target.empty()) throw usage_error("a job with two targets: an Array, and '" + options.target + "'", "Give one of them");
  if (!options.to && options.target.empty()) throw usage_error("a job without a target", "Give `target`, a path or a name, or `to`, an Array");
  if ((options.to || is_name(options.target)) && (as.format || as.chunks || as.create || !as.devices.empty()))
    throw usage_error("the target is an array of processes, which is there already: `target_as` says what a new one is to be", "Leave it out");
}

// Takes the name that texts have for an Array, or the path, which is its name.
void name_array(const std::optional<Array>& array, std::string& path, const std::string& name) {
  if (array && path.empty()) path = name.empty() ? "the array given" : name;
}

// Of a page: its device, and its number there.
std::pair<Address, std::int64_t> place_of(const Array& array, std::int64_t page) {
  const auto [device, index] = array.map().place_of(unflatten(page, array.map().grid()));
  return {array.devices()[static_cast<std::size_t>(device)].address(), index};
}

}  // namespace

JobArrays::JobArrays(JobOptions& options) {
  check_one_source(options);
  check_one_target(options);
  const bool named = (!options.from && is_name(options.source)) || (!options.to && is_name(options.target));
  // The pages lie where the devices are: here are only the calls.
  if (named && detail::Endpoint::current() == nullptr)
    runtime_ = std::make_unique<Runtime>(RuntimeOptions{.memory = 1 * MiB, .ring_bytes = 32 * KiB, .reach = runtime_reach::scope});
  const auto mine = use();
  from_ = options.from = opened(options.from, options.source);
  to_ = options.to = opened(options.to, options.target);
  name_array(from_, options.source, options.from_name);
  name_array(to_, options.target, options.to_name);
}

std::unique_ptr<Runtime::Use> JobArrays::use() const { return runtime_ ? std::unique_ptr<Runtime::Use>(new Runtime::Use(runtime_->use())) : nullptr; }

Storage JobArrays::facts_of(const Array& array, const std::string& name) {
  if (array.devices().empty()) throw usage_error("'" + name + "' has no devices", "Give an Array that was made or opened");
  return {.format = storage_format::pages, .path = name, .shape = array.shape(), .chunk = array.page(), .type = array.type()};
}

FftEnd JobArrays::end_of(const Array& array) { return {.devices = static_cast<int>(array.devices().size()), .paged = true, .made = false}; }

int JobArrays::shared_devices(const Array& one, const Array& other) {
  return static_cast<int>(std::ranges::count_if(
      other.devices(), [&](const auto& each) { return std::ranges::any_of(one.devices(), [&](const auto& its) { return its.address() == each.address(); }); }));
}

std::string JobArrays::path_there(const std::string& path) const { return any() ? std::filesystem::absolute(path).string() : path; }

Place JobArrays::beside(std::size_t number) const {
  std::vector<remote_ptr<PageDevice>> all;
  for (const auto* each : {&from_, &to_})
    if (*each) all.insert(all.end(), (*each)->devices().begin(), (*each)->devices().end());
  return octavo::beside(all.at(number % all.size()));
}

void JobArrays::check(const FftPlan& plan, const JobOptions& options) {
  check_target(plan, options.target);
  check_places(options);
  int number = 0;  // of devices, as beside() counts them
  std::vector<Pages> source, target;
  for (const bool is_source : {true, false}) {
    const auto& array = is_source ? from_ : to_;
    const std::string path = is_source ? (to_ ? "" : options.target) : (from_ ? "" : options.opened ? options.opened->path : options.source);
    if (!array) continue;
    std::vector<future<DeviceFacts>> all;
    all.reserve(array->devices().size());
    const auto places = places_of(path);
    for (const auto& device : array->devices()) all.push_back(start(device)->facts());
    for (std::size_t i = 0; i < all.size(); ++i) {
      const DeviceFacts facts = all[i].get();
      (is_source ? source : target).emplace_back(array->devices()[i].address(), facts.path.empty() ? facts.path : real_path(facts.path).string());
      if (number++ < plan.transforms && facts.pool_bytes > 0) check_fits(plan, facts.pool_bytes);  // a transform process is beside it
      for (const auto& place : places) check_apart(place, facts.path);
      if (!is_source && array->devices()[i].address().agent == array->devices()[0].address().agent) beside_scratch_.push_back(facts.path);
    }
  }
  check_files_apart(source, target);
  if (to_ && plan.uses_scratch) {
    const auto wish = scratch(plan, options);
    const scoped<ScratchPlace> checked(of_scratch().make<ScratchPlace>(wish));
  }
}

ScratchWish JobArrays::scratch(const FftPlan& plan, const JobOptions& options) const {
  return {.directory = options.scratch.empty() ? std::string() : std::filesystem::absolute(options.scratch).string(),
          .files = beside_scratch_,
          .shape = plan.shape,
          .chunk = plan.scratch_chunk,
          .type = plan.out_type,
          .bytes = plan.scratch_bytes};
}

Place JobArrays::of_scratch() const { return octavo::beside(to_->devices().at(0)); }

// A box is written when others are still to be read: over one of these it may not be written.
void JobArrays::check_places(const JobOptions& options) const {
  if (!from_ || !to_ || shared_devices(*from_, *to_) == 0) return;
  const auto pages = [](const Array& array) { return array.map().grid().count(); };
  const bool alike = from_->page() == to_->page() && pages(*from_) == pages(*to_);
  std::map<std::pair<Address, std::int64_t>, std::int64_t> elsewhere;  // pages of the source that are not where the target has that page
  for (std::int64_t page = 0; page < pages(*from_); ++page)
    if (auto place = place_of(*from_, page); !alike || place != place_of(*to_, page)) elsewhere.emplace(std::move(place), page);
  for (std::int64_t page = 0; !elsewhere.empty() && page < pages(*to_); ++page)
    if (const auto place = place_of(*to_, page); elsewhere.contains(place))
      throw usage_error("the source '" + options.source + "' and the target '" + options.target + "' both have page " + std::to_string(place.second) +
                            " of one device, each for another part",
                        "Give another target, or the source itself");
}

void JobArrays::check_target(const FftPlan& plan, const std::string& name) const {
  if (!to_) return;
  if (to_->shape() != plan.shape || to_->type() != plan.out_type)
    throw usage_error("'" + name + "' is an array of " + to_->shape().text() + " " + std::string(name_of(to_->type())) + ", and the result is one of " +
                          plan.shape.text() + " " + std::string(name_of(plan.out_type)),
                      "Give a target of the result's shape and dtype");
}

}  // namespace octavo::fft

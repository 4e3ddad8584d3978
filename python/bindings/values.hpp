// SPDX-License-Identifier: Apache-2.0
// Values that cross the border in several of the binding's files.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <optional>
#include <vector>

#include "octavo/data/storage.hpp"
#include "text.hpp"

namespace octavo::bindings {

using Integers = std::vector<std::int64_t>;

inline Integers integers(const Shape& shape) { return {shape.begin(), shape.end()}; }
inline Shape shape_of(const Integers& values) { return Shape(std::span(values)); }
inline std::optional<Shape> shape_of(const std::optional<Integers>& values) { return values ? std::optional<Shape>(Shape(std::span(*values))) : std::nullopt; }

template <class Given>
Shape extents_of(const Given& array) {
  Shape extents;
  for (std::size_t i = 0; i < array.ndim(); ++i) extents.push_back(static_cast<std::int64_t>(array.shape(i)));
  return extents;
}

// Throws not_supported for a NumPy type that Octavo does not have.
dtype dtype_of_array(nanobind::dlpack::dtype type);
nanobind::dlpack::dtype dlpack_of(dtype type);

// By the names that Python has for them. Throw usage_error.
std::pair<map_kind, std::int64_t> map_of(const std::string& name);  // and its block: "block_cyclic:4"
storage_format format_of(const std::string& name);

// "ov://home/turbulence": no path, but the name of an array of processes.
inline bool is_array_name(std::string_view path) { return path.starts_with("ov://"); }

// Each adds its part to the module.
void add_types(nanobind::module_& m);
void add_storage(nanobind::module_& m);
void add_phases(nanobind::module_& m);
void add_job(nanobind::module_& m);
void add_array(nanobind::module_& m);
void add_buffered(nanobind::module_& m);
void add_device_array(nanobind::module_& m);
void add_store(nanobind::module_& m);
void add_named(nanobind::module_& m);
void add_status(nanobind::module_& m);

}  // namespace octavo::bindings

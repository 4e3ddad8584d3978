// SPDX-License-Identifier: Apache-2.0
// Arrays with names: their devices are processes that outlive the program, and any program of this user opens the array by its name (Givelberg 3.3, 4.1).
//
//   ov::Array a = ov::named("ov://home/turbulence").make_array({512, 512, 512}, {64, 64, 64}, ov::dtype::complex64, {{"/d0/t"}, {"/d1/t", "box"}});
//   ov::named("ov://home/density").make_array("density.zarr");          // processes over an array that is stored
//   ov::Array same = ov::open_array("ov://home/turbulence");            // in another program, at the same time or a year later
//   ov::destroy_array("ov://home/turbulence");                          // its names and processes end; the pages stay where they are
//
// The array is an object with a name, whose state says where its devices are; each device is one, too: <name>/device/0 and so on, with the options of the
// NamedPlace (when it comes back, when it rests).
// NA-1  Every program that opens the name has the same pages, at once or later; which programs made or used it does not matter.
// NA-2  make_array makes all of its names, or none; a page file that it made stays. Where its program is killed meanwhile, destroy_array takes what it left.
// NA-3  A device whose process died is there again at the next call, with what was flushed.
// NA-4  destroy_array ends all of its names and processes, past those that are gone; the pages stay.
// NA-5  Its devices may be on several machines. Programs read, write and transform it (octavo/fft/job.hpp, J-5) if their engine names those machines:
//       processes beside the devices reach those elsewhere by way of the program, while it runs. Where a machine is lost they throw an error of kind gone.
// Threading: as for all calls. Failure: refused (the name is taken), what the devices throw, not_supported for an array that another library decodes, and
// for saving_every_call(): devices answer when the disk does, and keep no state that a call changes.
#pragma once

#include "octavo/data/array.hpp"
#include "octavo/process/named.hpp"

namespace octavo {

// Where a device keeps its pages: a file, which is made if it is not there, on this machine or another.
struct PageFilePlace {
  std::string path;
  std::string machine = {};  // empty: that of the array's name
  DeviceOptions options = {};
};

// What is stored of an array with a name.
struct ArrayRecord {
  struct Device {
    std::string machine, name;
  };
  Shape shape, page;
  dtype type = dtype::float64;
  PageMap map;
  std::vector<Device> devices;

  [[nodiscard]] ArrayRecord facts() const { return *this; }
};
OCTAVO_REMOTE(ArrayRecord, facts)

Array open_named_array(const Machine& machine, std::string_view name);
// Also what there is of an array whose making was interrupted.
void destroy_array(std::string_view name);
void destroy_array(const Machine& machine, std::string_view name);

}  // namespace octavo

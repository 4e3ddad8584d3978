// SPDX-License-Identifier: Apache-2.0
// Files that say by their bytes what they are, and are none that Octavo reads in C++: to be named, and never taken for raw elements.
//
//   refuse_other_files("u.dat");        // not_supported for HDF5, netCDF's classic format, HDF4 and zip files
//   refuse_as_raw("u.dat");             // the same, and usage_error for what has a format of Octavo's
//   refuse_in_other_file("u.h5/x");     // of a path that is not there
//
// More is looked at than a magic number of four bytes, which may be an element as well. Threading: none shared. Failure: also io_error.
#pragma once

#include <string>

namespace octavo {

// HDF5 begins at 0, or after a user block of 512 bytes, 1024, 2048 and so on.
[[nodiscard]] bool is_hdf5_file(const std::string& path);
void refuse_other_files(const std::string& path);
void refuse_as_raw(const std::string& path);
void refuse_in_other_file(const std::string& path);

}  // namespace octavo

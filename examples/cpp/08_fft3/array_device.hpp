// SPDX-License-Identifier: Apache-2.0
// Section 4.3 of the paper: an ArrayPageDevice with a cache, filled by ReadIntoCache while the client computes.
#pragma once

#include <map>

#include "../06_array_page_device/array_page_device.hpp"

class ArrayDevice : public ArrayPageDevice {
 public:
  ArrayDevice(string file, size_t pages, int nn1, int nn2, int nn3, size_t Nc)
      : ArrayPageDevice(std::move(file), pages, nn1, nn2, nn3), NumberOfCachePages(Nc) {}
  void ReadIntoCache(size_t page_index) {
    if (cache.size() < NumberOfCachePages) cache[page_index] = ArrayPageDevice::read(page_index);
  }
  Page read(size_t page_index) override {  // the transposed reads come here too
    auto found = cache.extract(page_index);
    (found ? hits : misses)++;
    return found ? std::move(found.mapped()) : ArrayPageDevice::read(page_index);
  }
  void write(const Page& p, size_t page_index) override {
    cache.erase(page_index);
    ArrayPageDevice::write(p, page_index);
  }
  size_t PagesFromCache() const { return hits; }
  size_t PagesFromDisk() const { return misses; }

 private:
  size_t NumberOfCachePages, hits = 0, misses = 0;
  std::map<size_t, Page> cache;
};
OCTAVO_REMOTE(ArrayDevice, (ArrayPageDevice), ReadIntoCache, PagesFromCache, PagesFromDisk)

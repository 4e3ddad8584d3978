// SPDX-License-Identifier: Apache-2.0
// A map of one's own: an Array keeps and sends a PageMap as a value, and would never ask the derived one.
// expect: cannot derive from 'final' base 'octavo::PageMap' in derived type 'MyMap'
#include "octavo/data/page_map.hpp"

#ifndef CONTROL
class MyMap : public octavo::PageMap {
#else
class MyMap {
#endif
 public:
  [[nodiscard]] octavo::PagePlace place_of(const octavo::Shape& page) const { return {page[0], 0}; }
};

// SPDX-License-Identifier: Apache-2.0
// Sections 2.3 and 4.1 of the paper: domains, and the map that says where a page of the array is kept.
#pragma once

#include "array_device.hpp"

enum class transpose { none, t13, t23 };  // which axis a domain and its buffer have in the place of the third

struct Domain {  // in pages
  int N11, N12, N21, N22, N31, N32;
};

struct address {
  int server_id;
  size_t page_index;
};

struct PageMap {
  int NP, NumberOfServers;
  address PageAddress(int i1, int i2, int i3) const {  // the circulant map; the file may have gaps, which take no room
    return {(i1 + i2 + i3) % NumberOfServers, static_cast<size_t>((i1 * NP + i2) * NP + i3)};
  }
};

// do_(address, i1, i2, i3) for every page in the domain.
template <class Do>
void ForEveryPage(const Domain& d, const PageMap& map, transpose t, Do do_) {
  for (int i1 = d.N11; i1 < d.N12; i1++)
    for (int i2 = d.N21; i2 < d.N22; i2++)
      for (int i3 = d.N31; i3 < d.N32; i3++) {
        if (t == transpose::t13) do_(map.PageAddress(i3, i2, i1), i1, i2, i3);
        else if (t == transpose::t23) do_(map.PageAddress(i1, i3, i2), i1, i2, i3);
        else do_(map.PageAddress(i1, i2, i3), i1, i2, i3);
      }
}

// copy(in_buffer, in_page) for every row of n numbers of page (i1, i2, i3): where it begins in the domain's buffer, and in the page.
template <class Copy>
void ForEveryRow(const Domain& d, int n, int i1, int i2, int i3, Copy copy) {
  for (int j1 = 0; j1 < n; j1++)
    for (int j2 = 0; j2 < n; j2++) {
      int row = ((i1 - d.N11) * n + j1) * (d.N22 - d.N21) * n + (i2 - d.N21) * n + j2;
      copy((row * (d.N32 - d.N31) + i3 - d.N31) * n, (j1 * n + j2) * n);
    }
}

// SPDX-License-Identifier: Apache-2.0
#include "road/net/tls/module.hpp"

const octavo::road::TlsModule octavo_tls_module{octavo::road::tls::listen, octavo::road::tls::connect};

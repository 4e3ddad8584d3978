# SPDX-License-Identifier: Apache-2.0
"""Private: what the public modules are made of. Nothing here is promised to users."""

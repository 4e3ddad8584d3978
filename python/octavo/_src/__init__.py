# SPDX-License-Identifier: Apache-2.0
"""What the package is made of; nothing here is promised to users."""

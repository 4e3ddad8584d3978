#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# For mpirun in place of ssh: HOST COMMAND... is run in the network namespace whose file is $OCTAVO_THERE.
shift
exec nsenter --net="$OCTAVO_THERE" sh -c "$*"

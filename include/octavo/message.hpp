// SPDX-License-Identifier: Apache-2.0
// Mailboxes and messages, with the objects they go between; without the arrays, which octavo.hpp has too.
#pragma once

#include "octavo/message/mailbox.hpp"
#include "octavo/message/message.hpp"
#include "octavo/message/select.hpp"
#include "octavo/process.hpp"

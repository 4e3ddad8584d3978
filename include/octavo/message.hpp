// SPDX-License-Identifier: Apache-2.0
// Mailboxes, messages and locks, with the objects they go between; without the arrays, which octavo.hpp has too.
#pragma once

#include "octavo/message/barrier.hpp"
#include "octavo/message/channel.hpp"
#include "octavo/message/condition.hpp"
#include "octavo/message/event.hpp"
#include "octavo/message/mailbox.hpp"
#include "octavo/message/message.hpp"
#include "octavo/message/mutex.hpp"
#include "octavo/message/queue.hpp"
#include "octavo/message/segment.hpp"
#include "octavo/message/select.hpp"
#include "octavo/message/semaphore.hpp"
#include "octavo/process.hpp"

#pragma once

#include <span>
#include <vector>

#include "engine/submission.h"
#include "engine/thread_state.h"

namespace stretto {

/// What the task that a thread is inside of declared of some bytes.
enum class Declared {
  nothing,  ///< None of them.
  read,     ///< All of them, to read.
  in_part,  ///< Some of them, to read; not all, as far as can be told.
  written,  ///< Some of them, to write.
};
/// `box` null: all bytes of the buffer.
Declared find_declared(const ThreadState::Frame& inside, const Buffer& buffer, const Box* box);

/// Of the accesses of a task submitted inside another: those that are recorded. The others read what that task declared
/// to read; true when there are any. Throws UsageError for any other use of what that task declared: behind the task it
/// would come by the order of the program at one time and by another at the next.
bool leave_out_declared(const ThreadState::Frame& inside, const Submission& submission, std::vector<Access>& recorded);

/// "the task NAME (FILE:LINE)".
std::string describe(const Task& task);

}  // namespace stretto

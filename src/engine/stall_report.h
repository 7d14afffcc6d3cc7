#pragma once

#include <string>
#include <vector>

namespace stretto {

class Scheduler;

/// What is pending and what waits for what, a line each: how many tasks are pending; what each lane is at; and chains
/// of tasks of which each waits for the next, those first that a thread of the program waits for. Empty when nothing is
/// pending. Submissions wait meanwhile.
std::vector<std::string> describe_stall(Scheduler& scheduler);

}  // namespace stretto

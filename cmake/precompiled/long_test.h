#pragma once

#include "test.h"

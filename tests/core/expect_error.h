#pragma once

#include <string>

#include <gtest/gtest.h>

/// The message `statement` throws as an `Exception`; fails the test when it throws nothing or something else.
#define EXPECT_ERROR(statement, Exception, text)        \
  do {                                                  \
    try {                                               \
      static_cast<void>(statement);                     \
      ADD_FAILURE() << #statement << " throws nothing"; \
    } catch (const Exception& error) {                  \
      EXPECT_EQ(std::string(error.message()), text);    \
    }                                                   \
  } while (false)

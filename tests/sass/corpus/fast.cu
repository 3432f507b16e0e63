#include "tests/sass/corpus/each_fast.hpp"

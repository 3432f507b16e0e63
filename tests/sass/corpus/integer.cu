#include "tests/sass/corpus/each_integer.hpp"

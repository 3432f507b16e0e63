#include "tests/sass/corpus/each_half.hpp"

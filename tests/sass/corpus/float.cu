#include "tests/sass/corpus/each_float.hpp"

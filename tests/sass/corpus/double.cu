#include "tests/sass/corpus/each_double.hpp"

#include "tests/sass/corpus/each_convert.hpp"

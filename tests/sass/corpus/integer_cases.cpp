#define CORPUS_SUBJECT "integer"
#include "tests/sass/corpus/each_integer.hpp"

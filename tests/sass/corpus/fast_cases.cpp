#define CORPUS_SUBJECT "fast"
#include "tests/sass/corpus/each_fast.hpp"

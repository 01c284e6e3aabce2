/* In place of the header of the BANG-C compiler. */
#include "bang_emu.h"

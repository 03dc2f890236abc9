/** Holding engines to what Sluice assumes of them: the command {@code verify-engine}. */
@NullMarked
package io.sluice.verify;

import org.jspecify.annotations.NullMarked;

/** Checks engines against the assumptions of Sluice: the command {@code verify-engine}. */
@NullMarked
package io.sluice.verify;

import org.jspecify.annotations.NullMarked;

/** Waiting. */
@NullMarked
package io.sluice.common.time;

import org.jspecify.annotations.NullMarked;

/** TODO. */
@NullMarked
package io.sluice.simulator;

import org.jspecify.annotations.NullMarked;

/** When requests arrive. */
@NullMarked
package io.sluice.bench.arrival;

import org.jspecify.annotations.NullMarked;

/** {@code ./sluice replay}: the pool's recorded traffic under other settings, in virtual time. */
@NullMarked
package io.sluice.bench.replay;

import org.jspecify.annotations.NullMarked;

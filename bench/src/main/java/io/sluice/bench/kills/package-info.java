/** What HTTP clients of a gateway see when a part of the pool fails. */
@NullMarked
package io.sluice.bench.kills;

import org.jspecify.annotations.NullMarked;

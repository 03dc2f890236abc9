/** Which bulk requests a worker hands back so that others have room. */
@NullMarked
package io.sluice.worker.evict;

import org.jspecify.annotations.NullMarked;

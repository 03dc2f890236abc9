/** The recorded requests in virtual time, on a fleet that is modelled on the pool's workers. */
@NullMarked
package io.sluice.bench.replay.model;

import org.jspecify.annotations.NullMarked;

/**
 * Whether a lease is alive: acceptance, progress and heartbeats of workers, judged only as far as
 * the outcomes have been read; and when a failed attempt is tried again. Pure: time is an argument.
 */
@NullMarked
package io.sluice.router.lease;

import org.jspecify.annotations.NullMarked;

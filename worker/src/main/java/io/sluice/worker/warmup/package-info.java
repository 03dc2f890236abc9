/** The entry of a new engine process: its first requests, before and while callers' ones come. */
@NullMarked
package io.sluice.worker.warmup;

import org.jspecify.annotations.NullMarked;

/** How many requests a worker lets into its engine at once: found while it runs, not configured. */
@NullMarked
package io.sluice.worker.limit;

import org.jspecify.annotations.NullMarked;

/** Finds at run time how many requests a worker lets into its engine at the same time. */
@NullMarked
package io.sluice.worker.limit;

import org.jspecify.annotations.NullMarked;

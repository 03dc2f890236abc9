/** Checks that a batch is complete and correct although its engines are killed while it runs. */
@NullMarked
package io.sluice.bench.batch;

import org.jspecify.annotations.NullMarked;

/** Whether a batch is complete and right whose engines are killed meanwhile. */
@NullMarked
package io.sluice.bench.batch;

import org.jspecify.annotations.NullMarked;

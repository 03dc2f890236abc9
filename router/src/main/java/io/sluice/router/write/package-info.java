/** Writes to the log outside of Kafka Streams, in order per partition and bounded in memory. */
@NullMarked
package io.sluice.router.write;

import org.jspecify.annotations.NullMarked;

/**
 * Reads of the log outside of Kafka Streams: request bodies by their offsets, and where partitions
 * end.
 */
@NullMarked
package io.sluice.router.log;

import org.jspecify.annotations.NullMarked;

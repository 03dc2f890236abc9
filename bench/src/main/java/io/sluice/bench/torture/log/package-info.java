/**
 * Reads what the pool wrote to Kafka, according to docs/protocol.md and without classes of the
 * product.
 */
@NullMarked
package io.sluice.bench.torture.log;

import org.jspecify.annotations.NullMarked;

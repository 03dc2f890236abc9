/** Reads what the pool wrote to Kafka, by docs/protocol.md alone. */
@NullMarked
package io.sluice.bench.torture.log;

import org.jspecify.annotations.NullMarked;

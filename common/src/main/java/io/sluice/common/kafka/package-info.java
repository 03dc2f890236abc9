/** How all modules use Kafka's clients. */
@NullMarked
package io.sluice.common.kafka;

import org.jspecify.annotations.NullMarked;

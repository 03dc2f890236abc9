/**
 * The SDK's use of Kafka: settings, error messages, and bounded reads. Internal: applications use
 * the client, batch and deadletter packages.
 */
@NullMarked
package io.sluice.producer.kafka;

import org.jspecify.annotations.NullMarked;

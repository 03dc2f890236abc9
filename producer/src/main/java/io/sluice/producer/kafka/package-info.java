/**
 * The SDK's use of Kafka: settings, errors in words, and reads that end. Internal: applications use
 * the client, batch and deadletter packages.
 */
@NullMarked
package io.sluice.producer.kafka;

import org.jspecify.annotations.NullMarked;

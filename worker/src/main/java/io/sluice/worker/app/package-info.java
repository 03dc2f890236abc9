/**
 * The assembly of a worker: Micronaut's context, Kafka clients, HTTP endpoints and meters, start
 * and shutdown.
 */
@NullMarked
package io.sluice.worker.app;

import org.jspecify.annotations.NullMarked;

/**
 * The engine over HTTP: Micronaut's client, made to close its connection when a stream is
 * cancelled.
 */
@NullMarked
package io.sluice.worker.engine.http;

import org.jspecify.annotations.NullMarked;

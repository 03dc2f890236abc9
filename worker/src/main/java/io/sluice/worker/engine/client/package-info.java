/** Reads what engines answer over HTTP: streams, whole answers and errors. */
@NullMarked
package io.sluice.worker.engine.client;

import org.jspecify.annotations.NullMarked;

/**
 * Reads the answer of any request again, or follows it, from any position: as the events of the
 * chat stream, or by the Durable Streams protocol.
 */
@NullMarked
package io.sluice.gateway.attach;

import org.jspecify.annotations.NullMarked;

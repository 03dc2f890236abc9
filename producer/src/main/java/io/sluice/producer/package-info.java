/**
 * How a client reaches its pool, and what it is told when it cannot. {@link
 * io.sluice.producer.client.SluiceClient} is where an application starts.
 */
@NullMarked
package io.sluice.producer;

import org.jspecify.annotations.NullMarked;

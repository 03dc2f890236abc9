/**
 * The configuration of a client and its errors. Applications start with {@link
 * io.sluice.producer.client.SluiceClient}.
 */
@NullMarked
package io.sluice.producer;

import org.jspecify.annotations.NullMarked;

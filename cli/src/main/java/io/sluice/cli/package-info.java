/**
 * What the client commands share: the connection to Kafka, converters for durations and priorities,
 * text tables, and errors.
 */
@NullMarked
package io.sluice.cli;

import org.jspecify.annotations.NullMarked;

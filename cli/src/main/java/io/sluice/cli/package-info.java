/**
 * What the client commands share: how they reach Kafka, how they read durations and priorities, and
 * how they fail.
 */
@NullMarked
package io.sluice.cli;

import org.jspecify.annotations.NullMarked;

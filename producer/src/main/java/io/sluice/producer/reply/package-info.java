/**
 * What a client reads of an answer: its events, the whole answer, and where it lies in the log.
 * These types need no connection, so that callers' tests can make them.
 */
@NullMarked
package io.sluice.producer.reply;

import org.jspecify.annotations.NullMarked;

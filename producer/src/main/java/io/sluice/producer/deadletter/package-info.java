/** The dead letters of a pool: reading them, and sending their requests again. */
@NullMarked
package io.sluice.producer.deadletter;

import org.jspecify.annotations.NullMarked;

/** The {@code simulator} command, its options, and {@code simulator fit}. */
@NullMarked
package io.sluice.simulator.command;

import org.jspecify.annotations.NullMarked;

/** The {@code simulator} command, its flags, and {@code simulator fit}. */
@NullMarked
package io.sluice.simulator.command;

import org.jspecify.annotations.NullMarked;

/** The {@code dead-letters} commands. */
@NullMarked
package io.sluice.cli.deadletter;

import org.jspecify.annotations.NullMarked;

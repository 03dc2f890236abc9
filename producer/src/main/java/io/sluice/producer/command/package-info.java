/** The client commands: {@code chat} and {@code batch}, and the options that they share. */
@NullMarked
package io.sluice.producer.command;

import org.jspecify.annotations.NullMarked;

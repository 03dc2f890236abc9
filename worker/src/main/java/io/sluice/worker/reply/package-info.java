/** Writes to the reply and outcome topics, and reads answers back. */
@NullMarked
package io.sluice.worker.reply;

import org.jspecify.annotations.NullMarked;

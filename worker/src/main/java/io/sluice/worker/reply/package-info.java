/** What a worker writes to and reads from the reply and outcome topics. */
@NullMarked
package io.sluice.worker.reply;

import org.jspecify.annotations.NullMarked;

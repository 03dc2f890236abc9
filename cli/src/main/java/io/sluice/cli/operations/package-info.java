/** Commands for the person on call: what the fleet looks like now, read from Redis. */
@NullMarked
package io.sluice.cli.operations;

import org.jspecify.annotations.NullMarked;

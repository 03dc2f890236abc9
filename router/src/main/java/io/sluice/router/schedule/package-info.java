/**
 * The life of a request as an explicit state machine: admission, outcomes and timers. {@code
 * dispatch} chooses which request goes next, {@code task} holds what a task remembers. Pure: it
 * acts through ports and knows time only as an argument.
 */
@NullMarked
package io.sluice.router.schedule;

import org.jspecify.annotations.NullMarked;

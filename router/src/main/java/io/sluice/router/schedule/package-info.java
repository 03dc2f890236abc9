/**
 * The life of a request as an explicit state machine: admission, dispatch, outcomes, timers and
 * ends. Pure: it acts through ports and knows time only as an argument.
 */
@NullMarked
package io.sluice.router.schedule;

import org.jspecify.annotations.NullMarked;

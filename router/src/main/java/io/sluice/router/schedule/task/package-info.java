/**
 * What a task remembers of its requests, how a request passes from one state to the next, and how
 * it ends.
 */
@NullMarked
package io.sluice.router.schedule.task;

import org.jspecify.annotations.NullMarked;

/**
 * Who is next: the waiting requests of each task, fair shares of tenants, and the backlog of the
 * whole router with its limits and its estimate of waiting times. Pure: time is an argument.
 */
@NullMarked
package io.sluice.router.queue;

import org.jspecify.annotations.NullMarked;

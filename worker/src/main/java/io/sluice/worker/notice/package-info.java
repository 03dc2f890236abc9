/** Learns that the machine is about to go, and empties the worker in time. */
@NullMarked
package io.sluice.worker.notice;

import org.jspecify.annotations.NullMarked;

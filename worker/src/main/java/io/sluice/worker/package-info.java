/**
 * A worker stands beside one engine: it takes assignments from its own topic, streams the engine's
 * tokens into the reply log, and tells the fleet how it is. {@link io.sluice.worker.Worker} starts
 * one in this process, {@link io.sluice.worker.WorkerCommand} as a process of its own.
 */
@NullMarked
package io.sluice.worker;

import org.jspecify.annotations.NullMarked;

/** Reads the temperatures of the engine's GPUs, and lowers the worker's limit while one is hot. */
@NullMarked
package io.sluice.worker.gpu;

import org.jspecify.annotations.NullMarked;

/** The vLLM release that a simulated server stands for. */
@NullMarked
package io.sluice.simulator.release;

import org.jspecify.annotations.NullMarked;

/** One attempt to answer a request: acceptance, claim, generation, reply records and outcome. */
@NullMarked
package io.sluice.worker.generation;

import org.jspecify.annotations.NullMarked;

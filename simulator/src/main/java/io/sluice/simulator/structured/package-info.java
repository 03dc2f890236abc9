/** Values that are valid for a JSON schema: what a model with guided decoding writes. */
@NullMarked
package io.sluice.simulator.structured;

import org.jspecify.annotations.NullMarked;

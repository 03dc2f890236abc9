/**
 * Generates values that are valid for a JSON schema: the output of a model with guided decoding.
 */
@NullMarked
package io.sluice.simulator.structured;

import org.jspecify.annotations.NullMarked;

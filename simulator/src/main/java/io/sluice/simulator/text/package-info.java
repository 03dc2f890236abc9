/**
 * Tokens and text: the tokenizer, the chat template, and the deterministic prose of the simulated
 * model, which a continued generation resumes exactly where an interrupted one stopped.
 */
@NullMarked
package io.sluice.simulator.text;

import org.jspecify.annotations.NullMarked;

/**
 * Tokens and text: the tokenizer, the chat template, and the deterministic prose that a simulated
 * model writes, which a continued generation takes up exactly where an interrupted one stopped.
 */
@NullMarked
package io.sluice.simulator.text;

import org.jspecify.annotations.NullMarked;

package io.sluice.simulator.engine;

import java.util.SortedSet;

/**
 * The LoRA adapters that the sequences of an engine use.
 *
 * @param running the adapters of running sequences, by name
 * @param waiting the adapters of waiting sequences, by name
 */
public record LoraUse(SortedSet<String> running, SortedSet<String> waiting) {}

package io.sluice.simulator.engine;

import java.util.SortedSet;

/**
 * The LoRA adapters that sequences of an engine use.
 *
 * @param running those of running sequences, by name
 * @param waiting those of waiting sequences, by name
 */
public record LoraUse(SortedSet<String> running, SortedSet<String> waiting) {}

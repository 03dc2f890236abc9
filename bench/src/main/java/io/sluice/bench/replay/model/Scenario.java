package io.sluice.bench.replay.model;

/** A fleet, and who distributes the requests to it. */
public record Scenario(ModelFleet fleet, Setup setup) {}

package io.sluice.router.report;

import io.sluice.common.metrics.BoundedNames;
import io.sluice.router.catalog.ModelCatalog;
import io.sluice.router.catalog.ServedModels;
import io.sluice.router.demand.DemandKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The names under which demand is told: configured models, a limited number of other models that
 * workers serve, and {@link BoundedNames#OTHER} for whatever else callers ask for. Thread-safe.
 */
public final class KnownNames {
  private static final int MOST_SERVED = 50;

  private final ModelCatalog configured;
  private final ServedModels served;
  private final List<String> tiers;
  private final BoundedNames others = new BoundedNames(MOST_SERVED);

  /**
   * Creates the names of a pool.
   *
   * @param tiers of the pool; empty in pools without tiers
   */
  public KnownNames(ModelCatalog configured, ServedModels served, List<String> tiers) {
    this.configured = configured;
    this.served = served;
    this.tiers = tiers.isEmpty() ? List.of(DemandKey.NO_TIER) : List.copyOf(tiers);
  }

  /** Returns the tiers whose demand is told even if there is none. */
  List<String> tiers() {
    return tiers;
  }

  /** Returns the models whose demand is told even if there is none. */
  Set<String> models() {
    Set<String> models = new TreeSet<>();
    served.names().forEach(model -> models.add(nameOf(model)));
    return models;
  }

  /** Returns the key under which the demand of a key is told. */
  DemandKey told(DemandKey key) {
    return new DemandKey(nameOf(key.model()), key.tier(), key.bulk());
  }

  private String nameOf(String model) {
    if (configured.longest(model).isPresent()) {
      return model;
    }
    // Only served models take a place, so callers cannot use up the places with invented names.
    return served.longest(model).isPresent() ? others.of(model) : BoundedNames.OTHER;
  }

  /** Returns all keys whose demand is told even if there is none. */
  List<DemandKey> keys() {
    List<DemandKey> keys = new ArrayList<>();
    for (String model : models()) {
      for (String tier : tiers) {
        Stream.of(false, true).map(bulk -> new DemandKey(model, tier, bulk)).forEach(keys::add);
      }
    }
    return keys;
  }
}

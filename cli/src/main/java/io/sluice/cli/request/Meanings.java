package io.sluice.cli.request;

import java.util.Map;

/**
 * What the names in a routing decision mean, in one line each. A name that another version of the
 * router gave can be absent.
 *
 * @param scorers what each scorer looks at, by its name
 * @param filters what is true of a worker that a filter admits, by the name of the filter
 */
public record Meanings(Map<String, String> scorers, Map<String, String> filters) {
  public Meanings {
    scorers = Map.copyOf(scorers);
    filters = Map.copyOf(filters);
  }
}

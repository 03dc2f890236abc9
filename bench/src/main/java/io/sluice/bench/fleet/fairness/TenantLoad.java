package io.sluice.bench.fleet.fairness;

import io.sluice.bench.fleet.run.RandomRequests.Usual;

/**
 * What one tenant sends.
 *
 * @param load as a share of what the fleet could answer of such requests
 */
record TenantLoad(String tenant, Usual usual, double load) {}

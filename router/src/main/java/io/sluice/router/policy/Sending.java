package io.sluice.router.policy;

import io.sluice.router.prefix.PrefixChain;

/**
 * A request was sent to a worker.
 *
 * @param prefix what its prompt begins with, and the worker will have cached
 * @param knownBlocks how many leading blocks of it the worker was believed to hold already
 */
public record Sending(String worker, String incarnation, PrefixChain prefix, int knownBlocks) {}

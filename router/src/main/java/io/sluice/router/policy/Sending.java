package io.sluice.router.policy;

import io.sluice.router.prefix.PrefixChain;

/**
 * A request was sent to a worker.
 *
 * @param prefix the prefix of its prompt, which the worker will have cached
 * @param knownBlocks how many leading blocks of it the worker was believed to have cached already
 */
public record Sending(String worker, String incarnation, PrefixChain prefix, int knownBlocks) {}

/**
 * What the pool offers: the models that its workers serve, their fallback models, how many tokens
 * their tokenizers make of a prompt, and the topics that exist.
 */
@NullMarked
package io.sluice.router.catalog;

import org.jspecify.annotations.NullMarked;

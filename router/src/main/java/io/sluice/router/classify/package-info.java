/**
 * What a request's body says about how it is best served: which quality tiers suit it, what kind of
 * text it is, and which of its options an engine may refuse. Pure.
 */
@NullMarked
package io.sluice.router.classify;

import org.jspecify.annotations.NullMarked;

/** Tells people why a request went where it went: records of {@code sluice.decisions}. */
@NullMarked
package io.sluice.router.explain;

import org.jspecify.annotations.NullMarked;

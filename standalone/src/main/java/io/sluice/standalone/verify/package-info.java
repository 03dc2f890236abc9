/** Checks a pool over any engine: interrupted answers must equal the uninterrupted ones. */
@NullMarked
package io.sluice.standalone.verify;

import org.jspecify.annotations.NullMarked;

/** Holds a pool over any engine to its promise: interrupted answers are the uninterrupted ones. */
@NullMarked
package io.sluice.standalone.verify;

import org.jspecify.annotations.NullMarked;

/** The kinds of engines and how they differ. */
@NullMarked
package io.sluice.worker.engine.dialect;

import org.jspecify.annotations.NullMarked;

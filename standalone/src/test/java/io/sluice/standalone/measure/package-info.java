/** Measurements of speed and memory: programs to run by hand, described in docs/measurements.md. */
@NullMarked
package io.sluice.standalone.measure;

import org.jspecify.annotations.NullMarked;

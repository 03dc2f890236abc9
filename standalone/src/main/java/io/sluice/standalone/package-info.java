/**
 * The whole pool in one process for machines that have nothing but a JDK: the {@code sluice}
 * launcher's commands, which are those of production and a few more, and the embedded backends.
 */
@NullMarked
package io.sluice.standalone;

import org.jspecify.annotations.NullMarked;

/**
 * The whole pool in one process, for machines that have only a JDK: the commands of the {@code
 * sluice} launcher, which are those of production and a few more, and the embedded backends.
 */
@NullMarked
package io.sluice.standalone;

import org.jspecify.annotations.NullMarked;

/** Rolling upgrades under load, from one build to another and back. */
@NullMarked
package io.sluice.bench.upgrade;

import org.jspecify.annotations.NullMarked;

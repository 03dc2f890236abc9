/** The {@code batch} command. */
@NullMarked
package io.sluice.cli.batch;

import org.jspecify.annotations.NullMarked;

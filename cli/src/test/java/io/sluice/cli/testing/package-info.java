/** What the tests of the commands share. */
@NullMarked
package io.sluice.cli.testing;

import org.jspecify.annotations.NullMarked;

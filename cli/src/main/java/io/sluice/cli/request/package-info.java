/** Commands about one request: send it, read its answer, cancel it, and explain its routing. */
@NullMarked
package io.sluice.cli.request;

import org.jspecify.annotations.NullMarked;

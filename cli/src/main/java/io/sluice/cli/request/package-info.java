/**
 * Commands about one request: send it, read its answer again, cancel it, and see why it went where
 * it went.
 */
@NullMarked
package io.sluice.cli.request;

import org.jspecify.annotations.NullMarked;

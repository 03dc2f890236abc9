/** The command that prints or applies the Kafka ACLs of a pool's roles. */
@NullMarked
package io.sluice.cli.acl;

import org.jspecify.annotations.NullMarked;

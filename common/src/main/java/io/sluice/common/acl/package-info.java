/** Who may do what with a pool's topics and consumer groups, as Kafka ACLs. */
@NullMarked
package io.sluice.common.acl;

import org.jspecify.annotations.NullMarked;

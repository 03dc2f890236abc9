package io.sluice.common.acl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Optional;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PoolRoleTest {
  private static final String PRINCIPAL = "User:someone";

  @ParameterizedTest
  @EnumSource
  void noRoleHasRightsOnTheClusterOrOnForeignTopics(PoolRole role) {
    assertThat(role.acls(PRINCIPAL, Optional.empty()))
        .isNotEmpty()
        .allSatisfy(
            acl -> {
              assertThat(acl.pattern().resourceType()).isIn(ResourceType.TOPIC, ResourceType.GROUP);
              assertThat(acl.pattern().name()).matches("sluice[.-].+|sluice\\.");
              assertThat(acl.entry().principal()).isEqualTo(PRINCIPAL);
              assertThat(acl.entry().permissionType()).isEqualTo(AclPermissionType.ALLOW);
              assertThat(acl.entry().operation()).isNotEqualTo(AclOperation.ALL);
            });
  }

  @Test
  void aNameLeavesACallerOnlyItsOwnReplies() {
    assertThat(PoolRole.CALLER.acls(PRINCIPAL, Optional.of("orders")))
        .filteredOn(acl -> acl.entry().operation() == AclOperation.READ)
        .extracting(AclBinding::pattern)
        .singleElement()
        .satisfies(pattern -> assertThat(pattern.name()).isEqualTo("sluice.replies.orders"));
  }

  @Test
  void aNameThatCannotBePartOfATopicIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> PoolRole.WORKER.acls(PRINCIPAL, Optional.of("a b")));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> PoolRole.CALLER.acls(PRINCIPAL, Optional.of("")));
  }
}

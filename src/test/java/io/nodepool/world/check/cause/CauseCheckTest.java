package io.nodepool.world.check.cause;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.plan.disruption.cause.CauseKind;
import io.nodepool.plan.disruption.cause.KnownCause;
import org.junit.jupiter.api.Test;

/** The register has each cause once, and no other. */
class CauseCheckTest {
  @Test
  void eachTextOfACauseHasItsCheck() {
    assertThat(CauseCheck.ALL)
        .flatExtracting(check -> check.holds().keySet())
        // The text of a repair names its alert.
        .filteredOn(text -> !text.startsWith("its machine has the alert "))
        .containsExactlyInAnyOrderElementsOf(
            KnownCause.Catalogue.ALL.stream().map(CauseKind::text).toList());
  }
}

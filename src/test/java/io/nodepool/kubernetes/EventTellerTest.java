package io.nodepool.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.plan.Notice;
import io.nodepool.vocabulary.EventReason;
import org.junit.jupiter.api.Test;

class EventTellerTest {
  private static Notice notice(EventReason reason, String name, String uid, String occasion) {
    return new Notice(
        reason, new Notice.Regarding(Notice.Kind.NODE, name, uid), occasion, "message", 1);
  }

  @Test
  void anEventsNameFollowsFromReasonUidAndOccasion() {
    String name = EventTeller.name(notice(EventReason.NODE_CORDONED, "n", "u", "o"));

    assertThat(name)
        .matches("n\\.[0-9a-f]{16}")
        .isEqualTo(EventTeller.name(notice(EventReason.NODE_CORDONED, "n", "u", "o")))
        .isNotEqualTo(EventTeller.name(notice(EventReason.NODE_DRAINING, "n", "u", "o")))
        .isNotEqualTo(EventTeller.name(notice(EventReason.NODE_CORDONED, "n", "v", "o")))
        .isNotEqualTo(EventTeller.name(notice(EventReason.NODE_CORDONED, "n", "u", "p")));
  }

  @Test
  void aLongNameLeavesRoomForTheHash() {
    String name = EventTeller.name(notice(EventReason.NODE_CORDONED, "x".repeat(253), "u", "o"));

    assertThat(name).hasSize(253).matches("x+\\.[0-9a-f]{16}");
  }
}

package io.nodepool.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.EventTarget;
import org.junit.jupiter.api.Test;

class EventDraftTest {
  @Test
  void aMessageIsCutToItsLimitInBytesBetweenTwoCharacters() {
    assertThat(message("x" + "\uD83D\uDE00".repeat(500)))
        .isEqualTo("x" + "\uD83D\uDE00".repeat(255) + "…");
    assertThat(message("x".repeat(1025))).isEqualTo("x".repeat(1021) + "…");
    assertThat(message("x".repeat(1024))).isEqualTo("x".repeat(1024));
  }

  private static String message(String text) {
    return new EventDraft(
            EventReason.NODE_CORDONED,
            new EventDraft.Regarding(EventTarget.NODE, "n", "u"),
            "o",
            text,
            1)
        .message();
  }
}

package io.nodepool.kubernetes.convert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nodepool.model.node.Removal;
import io.nodepool.vocabulary.RemovalCause;
import java.time.Instant;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class RemovalRecordTest {
  private static final Instant AT = Instant.parse("2026-01-01T10:00:00.125Z");
  private static final Instant FORCE_AT = Instant.parse("2026-01-01T10:30:00Z");

  static Stream<Removal> stages() {
    return Stream.concat(
        Stream.of(new Removal.Requested(AT)),
        Stream.of(RemovalCause.values())
            .flatMap(cause ->
                Stream.of(
                    new Removal.Marked(cause, AT, true),
                    new Removal.Marked(cause, AT, false),
                    new Removal.Draining(cause, AT, FORCE_AT),
                    new Removal.PassedOver(AT, FORCE_AT, true),
                    new Removal.PassedOver(AT, FORCE_AT, false))));
  }

  @ParameterizedTest
  @MethodSource("stages")
  void everyStageIsReadAsItWasWritten(Removal stage) {
    assertThat(RemovalRecord.read(RemovalRecord.write(stage))).contains(stage);
  }

  @Test
  void theTextIsCompactJson() {
    assertThat(RemovalRecord.write(new Removal.Draining(RemovalCause.IDLE, AT, FORCE_AT)))
        .isEqualTo(
            "{\"stage\":\"Draining\",\"cause\":\"Idle\",\"at\":\"2026-01-01T10:00:00.125Z\","
                + "\"forceAt\":\"2026-01-01T10:30:00Z\"}");
  }

  @Test
  void withoutATextThereIsNoStage() {
    assertThat(RemovalRecord.read(null)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "draining",
        "null",
        "[]",
        "{",
        "{}",
        "{\"stage\":\"Requested\"}",
        "{\"stage\":\"Requested\",\"at\":\"yesterday\"}",
        "{\"stage\":\"Gone\",\"at\":\"2026-01-01T10:00:00Z\"}",
        "{\"stage\":\"Marked\",\"at\":\"2026-01-01T10:00:00Z\",\"cordon\":true}",
        "{\"stage\":\"Marked\",\"cause\":\"Whim\",\"at\":\"2026-01-01T10:00:00Z\"}",
        "{\"stage\":\"Draining\",\"cause\":\"Idle\",\"at\":\"2026-01-01T10:00:00Z\"}",
        "{\"stage\":\"Draining\",\"cause\":\"Idle\",\"at\":\"2026-01-01T10:00:00Z\",\"forceAt\":\"soon\"}"
      })
  void aTextInAnotherFormIsUnreadable(String text) {
    assertThatExceptionOfType(UnreadableObjectException.class)
        .isThrownBy(() -> RemovalRecord.read(text))
        .withMessageContaining("nodepool.io/removal");
  }
}

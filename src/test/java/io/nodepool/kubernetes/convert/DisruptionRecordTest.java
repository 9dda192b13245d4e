package io.nodepool.kubernetes.convert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.DisruptionEnding;
import io.nodepool.model.node.DisruptionLimits;
import io.nodepool.model.node.DisruptionNotes;
import io.nodepool.model.node.DrainStage;
import io.nodepool.plan.Disruptions;
import io.nodepool.plan.disruption.cause.OrphanedCause;
import io.nodepool.plan.disruption.cause.PoolDeletionCause;
import io.nodepool.plan.disruption.cause.PreemptionCause;
import io.nodepool.plan.disruption.cause.ScaleDownCause;
import io.nodepool.vocabulary.CandidateRank;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class DisruptionRecordTest {
  private static final Instant AT = Instant.parse("2026-01-01T10:00:00.125Z");
  private static final Instant FORCE_AT = Instant.parse("2026-01-01T10:30:00Z");

  static Stream<Disruption> stages() {
    return Stream.concat(
        Stream.of(
            Disruptions.requested(AT),
            new Disruption.PassedOver(3, AT, FORCE_AT, false).withUnmet("ncore-2")),
        Stream.of(CandidateRank.values())
            .flatMap(cause ->
                Stream.of(
                    Disruptions.admitted(cause, AT, true),
                    Disruptions.admitted(cause, AT, false),
                    Disruptions.committed(cause, AT, FORCE_AT),
                    Disruptions.passedOver(AT, FORCE_AT, true),
                    Disruptions.passedOver(AT, FORCE_AT, false))));
  }

  @ParameterizedTest
  @MethodSource("stages")
  void everyStageIsReadAsItWasWritten(Disruption stage) {
    assertThat(DisruptionRecord.read(DisruptionRecord.write(stage))).contains(stage);
  }

  @Test
  void theTextIsCompactJsonWithAVersion() {
    assertThat(DisruptionRecord.write(severalCauses()))
        .isEqualTo(
            "{\"v\":1,\"seq\":3,\"stage\":\"Committed\",\"causes\":["
                + "{\"cause\":\"PoolDeletion\",\"ref\":\"Idle\",\"at\":\"2026-01-01T10:00:00.125Z\"},"
                + "{\"cause\":\"Preemption\",\"ref\":\"2026-01-01T10:30:00Z\",\"at\":\"2026-01-01T10:30:00Z\"}],"
                + "\"cordon\":\"Foreign\",\"at\":\"2026-01-01T10:00:00.125Z\",\"ending\":\"Leave\","
                + "\"forceAt\":\"2026-01-01T10:30:00Z\",\"stopAt\":\"2026-01-01T10:31:00Z\"}");
  }

  private static Disruption severalCauses() {
    return new Disruption.Committed(
        3,
        List.of(
            new PreemptionCause(FORCE_AT).at(FORCE_AT),
            new PoolDeletionCause(Optional.of(CandidateRank.IDLE)).at(AT)),
        Disruption.Cordon.FOREIGN,
        AT,
        new DisruptionLimits(
            new DisruptionEnding.Leave(),
            FORCE_AT,
            Optional.of(Instant.parse("2026-01-01T10:31:00Z"))),
        DrainStage.NONE);
  }

  @Test
  void howFarADrainCameIsReadAsItWasWritten() {
    Disruption.Committed blocked =
        ((Disruption.Committed) severalCauses()).withDrain(DrainStage.BLOCKED);

    assertThat(DisruptionRecord.write(blocked)).endsWith(",\"drain\":\"Blocked\"}");
    assertThat(DisruptionRecord.read(DisruptionRecord.write(blocked))).contains(blocked);
    assertThat(DisruptionRecord.read(DisruptionRecord.write(blocked).replace("Blocked", "Later")))
        .contains(severalCauses());
    assertThat(blocked.withDrain(DrainStage.BEGUN)).isEqualTo(blocked);
  }

  @Test
  void severalCausesAndWhatIsRememberedAreReadAsTheyWereWritten() {
    Disruption admitted =
        new Disruption.Admitted(
            4,
            List.of(
                new ScaleDownCause(CandidateRank.CLIENT_REQUEST).at(AT),
                new PreemptionCause(FORCE_AT).at(FORCE_AT)),
            Disruption.Cordon.OURS,
            new DisruptionNotes(FORCE_AT, true));

    assertThat(DisruptionRecord.read(DisruptionRecord.write(admitted))).contains(admitted);
    assertThat(DisruptionRecord.read(DisruptionRecord.write(severalCauses())))
        .contains(severalCauses());
  }

  static Stream<Arguments> oldRecords() {
    return Stream.of(
        Arguments.of(
            "{\"stage\":\"Requested\",\"at\":\"2026-01-01T10:00:00.125Z\"}",
            new Disruption.Requested(0, AT)),
        Arguments.of(
            "{\"stage\":\"Marked\",\"cause\":\"ClientRequest\",\"at\":\"2026-01-01T10:00:00.125Z\",\"cordon\":true}",
            new Disruption.Admitted(
                0,
                List.of(new ScaleDownCause(CandidateRank.CLIENT_REQUEST).at(AT)),
                Disruption.Cordon.OURS,
                new DisruptionNotes(Instant.MIN, true))),
        Arguments.of(
            "{\"stage\":\"Marked\",\"cause\":\"Orphaned\",\"at\":\"2026-01-01T10:00:00.125Z\",\"cordon\":false}",
            new Disruption.Admitted(
                0,
                List.of(new OrphanedCause().at(AT)),
                Disruption.Cordon.FOREIGN,
                DisruptionNotes.NONE)),
        Arguments.of(
            "{\"stage\":\"PassedOver\",\"at\":\"2026-01-01T10:00:00.125Z\",\"until\":\"2026-01-01T10:30:00Z\",\"requested\":true}",
            new Disruption.PassedOver(0, AT, FORCE_AT, true)),
        Arguments.of(
            "{\"stage\":\"Draining\",\"cause\":\"Idle\",\"at\":\"2026-01-01T10:00:00.125Z\",\"forceAt\":\"2026-01-01T10:30:00Z\"}",
            new Disruption.Committed(
                0,
                List.of(new ScaleDownCause(CandidateRank.IDLE).at(AT)),
                Disruption.Cordon.OURS,
                AT,
                DisruptionLimits.leaving(FORCE_AT),
                DrainStage.NONE)));
  }

  @ParameterizedTest
  @MethodSource("oldRecords")
  void recordsWithoutAVersionAreRead(String text, Disruption stage) {
    assertThat(DisruptionRecord.read(text)).contains(stage);
  }

  /** Every cause that was ever written in version 1, with each form of its reference. */
  static Stream<String> causesOfVersionOne() {
    return Stream.of(
        cause("ScaleDown", "NotRegistered"),
        cause("ScaleDown", "ClientRequest"),
        cause("ScaleDown", "Autoscaler"),
        cause("ScaleDown", "Unhealthy"),
        cause("ScaleDown", "OutOfService"),
        cause("ScaleDown", "Cordoned"),
        cause("ScaleDown", "AutoscalerCandidate"),
        cause("ScaleDown", "Idle"),
        cause("ScaleDown", "Interruptible"),
        cause("ScaleDown", "Active"),
        cause("PoolDeletion", ""),
        cause("PoolDeletion", "Active"),
        cause("RegistrationFailed", ""),
        cause("MachineOutage", ""),
        cause("Orphaned", ""),
        cause("NoMachine", ""),
        cause("Preemption", "2026-01-01T09:59:00Z"),
        cause("Preemption", "2026-01-01T09:59:00.000000001Z"),
        cause("Reboot", "production-reboot"),
        cause("Reboot", "production-reboot/Immediate"),
        cause("Reboot", "production-powerreset"),
        cause("Reboot", "production-powerreset/Immediate"),
        cause("Reconfiguration", "production-reconfigure-powercycle-test"),
        cause("Reconfiguration", "production-reconfigure-powercycle-test/Immediate"),
        cause("Rollout", "ncore-2.12.0_6.8.0-60-generic_580.65.06_v1.34.4"),
        cause("Rollout", "ncore-2.11.0/Evict"),
        cause("Verification", "production-verification"),
        cause("Verification", "production-verification/Immediate"),
        cause("RebootFailed", ""));
  }

  private static String cause(String word, String reference) {
    String ref = reference.isEmpty() ? "" : ",\"ref\":\"%s\"".formatted(reference);
    return "{\"cause\":\"%s\"%s,\"at\":\"2026-01-01T10:00:00.125Z\"}".formatted(word, ref);
  }

  @ParameterizedTest
  @MethodSource("causesOfVersionOne")
  void aRecordOfVersionOneIsWrittenAsItWasRead(String cause) {
    String text =
        "{\"v\":1,\"seq\":3,\"stage\":\"Admitted\",\"causes\":[%s],\"cordon\":\"Ours\"}"
            .formatted(cause);
    assertThat(DisruptionRecord.read(text).map(DisruptionRecord::write)).contains(text);
  }

  @Test
  void withoutATextThereIsNoStage() {
    assertThat(DisruptionRecord.read(null)).isEmpty();
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
        "{\"v\":2,\"seq\":1,\"stage\":\"Requested\",\"at\":\"2026-01-01T10:00:00Z\"}",
        "{\"v\":1,\"stage\":\"Requested\",\"at\":\"2026-01-01T10:00:00Z\"}",
        "{\"v\":1,\"seq\":1,\"stage\":\"Admitted\",\"causes\":[],\"cordon\":\"Ours\"}",
        "{\"v\":1,\"seq\":1,\"stage\":\"Admitted\",\"causes\":[{\"cause\":\"Whim\",\"at\":\"2026-01-01T10:00:00Z\"}],\"cordon\":\"Ours\"}",
        "{\"v\":1,\"seq\":1,\"stage\":\"Committed\",\"causes\":[{\"cause\":\"ScaleDown\",\"at\":\"2026-01-01T10:00:00Z\"}],\"cordon\":\"Ours\",\"at\":\"2026-01-01T10:00:00Z\",\"ending\":\"Reboot\",\"forceAt\":\"2026-01-01T10:00:00Z\"}",
        "{\"stage\":\"Requested\",\"at\":\"yesterday\"}",
        "{\"stage\":\"Gone\",\"at\":\"2026-01-01T10:00:00Z\"}",
        "{\"stage\":\"Marked\",\"at\":\"2026-01-01T10:00:00Z\",\"cordon\":true}",
        "{\"stage\":\"Marked\",\"cause\":\"Whim\",\"at\":\"2026-01-01T10:00:00Z\"}",
        "{\"stage\":\"Draining\",\"cause\":\"Idle\",\"at\":\"2026-01-01T10:00:00Z\"}",
        "{\"stage\":\"Draining\",\"cause\":\"Idle\",\"at\":\"2026-01-01T10:00:00Z\",\"forceAt\":\"soon\"}"
      })
  void aTextInAnotherFormIsUnreadable(String text) {
    assertThatExceptionOfType(UnreadableObjectException.class)
        .isThrownBy(() -> DisruptionRecord.read(text))
        .withMessageContaining("nodepool.io/removal");
  }
}

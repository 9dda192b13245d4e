package io.nodepool.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.vocabulary.metadata.NodeTaints;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** Plays the cells of {@link RebootPairs}. */
final class RebootPlay {
  private final DisruptionPlay play;
  private Instant secondAt;

  /** A Node on which the second cause comes about at the stage of the first. */
  static RebootPlay met(RebootPairs.Cell cell) {
    RebootPlay play = new RebootPlay(cell);
    assertThat(play.reaches(cell.first(), cell.stage())).as("%s reaches its stage", cell).isTrue();
    play.arrives(cell.second());
    return play;
  }

  /** A Node as the cell describes it, on which nothing has come about yet. */
  RebootPlay(RebootPairs.Cell cell) {
    this.play =
        new DisruptionPlay(
            cell.poolFirst(),
            cell.busy(),
            cell.idleOnly()
                ? PoolSpec.ScaleDownStrategy.IDLE_ONLY
                : PoolSpec.ScaleDownStrategy.PREFER_IDLE);
    this.secondAt = play.now();
  }

  /** Lets the first cause reach a stage; returns whether it does on such a Node. */
  boolean reaches(String first, String stage) {
    play.arrives(first);
    return play.until(reached(stage));
  }

  private static Predicate<DisruptionPlay> reached(String stage) {
    return switch (stage) {
      case RebootPairs.REQUESTED -> _ -> true;
      case RebootPairs.ADMITTED -> DisruptionPlay::isAdmitted;
      case RebootPairs.COMMITTED -> DisruptionPlay::isDraining;
      case RebootPairs.BOOTING -> DisruptionPlay::isBooting;
      case RebootPairs.VERIFIED -> DisruptionPlay::isVerified;
      default -> throw new IllegalArgumentException(stage);
    };
  }

  /** The second cause comes about, if there is one. */
  void arrives(String second) {
    secondAt = play.now();
    if (!second.equals(RebootPairs.NONE)) {
      play.arrives(second);
    }
  }

  /** What brought a cause about is taken back. */
  void isWithdrawn(String cause) {
    play.isWithdrawn(cause);
    play.toRest();
  }

  /** A person uncordons the Node. */
  void isUncordoned() {
    play.isUncordoned();
    play.toRest();
  }

  /** The operator does not run for this long. */
  void isAway(Duration away) {
    play.isAway(away);
  }

  /** Plays everything that happens at this instant. */
  void toRest() {
    play.toRest();
  }

  /** Plays to the end. */
  RebootPairs.Outcome outcome(String first, String second) {
    play.until(DisruptionPlay::isGone);
    assertTheEventsTellTheStory();
    return new RebootPairs.Outcome(
        ending(),
        orNone(String.join(", ", play.boots())),
        recorded(
            play.committed().map(Disruption.Committed::causes).orElse(List.of()), first, second));
  }

  /** Each boot, each cordon and each removal was announced once. */
  private void assertTheEventsTellTheStory() {
    assertThat(count(EventReason.NODE_REBOOTING)).isIn(boots(), boots() + unasked());
    assertThat(
            count(EventReason.NODE_REBOOTED)
                + count(EventReason.NODE_VERIFIED)
                + count(EventReason.RECONFIGURE_REBOOTED))
        .isBetween(play.isGone() ? 0L : boots(), boots());
    assertThat(count(EventReason.NODE_CORDONED) - count(EventReason.NODE_UNCORDONED))
        .isEqualTo(play.isGone() || play.isCordoned() ? 1 : 0);
    long prepared = count(EventReason.NODE_PREPARED_FOR_TERMINATE);
    long preempted = count(EventReason.DELETED_FOR_PREEMPTION);
    // A preempted Node is prepared too, if its Pods have ended when its machine goes.
    assertThat(List.of(prepared, preempted)).allSatisfy(times -> assertThat(times).isIn(0L, 1L));
    assertThat(prepared + preempted > 0).isEqualTo(play.isGone());
    assertThat(count(EventReason.NODE_MARKED_PREPARE_FOR_TERMINATE)).isLessThanOrEqualTo(1);
  }

  /** A Node may leave just before the boot for which it went into its state. */
  private long unasked() {
    return play.isGone() ? 1 : 0;
  }

  private long boots() {
    return play.boots().size();
  }

  private long count(EventReason reason) {
    return play.events().stream().filter(reason.word()::equals).count();
  }

  /** Which of two causes is on record when the Node was last committed. */
  private static String recorded(List<Disruption.Cause> causes, String first, String second) {
    boolean ofFirst = causes.stream().anyMatch(cause -> isOf(first, cause));
    boolean ofSecond = causes.stream().anyMatch(cause -> isOf(second, cause));
    if (ofFirst && ofSecond) {
      return first.equals(second) ? "one" : "both";
    }
    if (ofFirst) {
      return "first";
    }
    return ofSecond ? "second" : "none";
  }

  private static boolean isOf(String cause, Disruption.Cause recorded) {
    return RebootPairs.REFERENCES.containsKey(cause)
        ? recorded.what().reference().equals(RebootPairs.REFERENCES.get(cause))
        : switch (cause) {
          case DisruptionPairs.SCALE_DOWN -> recorded.what().word().equals("ScaleDown");
          case DisruptionPairs.POOL_DELETION -> recorded.what().word().equals("PoolDeletion");
          case "rollout", "evicting rollout" -> recorded.what().turn().isPresent();
          case DisruptionPairs.PREEMPTION -> recorded.what().word().equals("Preemption");
          default -> false;
        };
  }

  private String ending() {
    Optional<Node> node = play.node();
    if (node.isEmpty()) {
      return "leaves, " + since(play.leavingSince().orElseThrow());
    }
    if (play.disruption().flatMap(Disruption::active).isPresent()) {
      return "waits, cordoned";
    }
    if (!node.get().metadata().label(NodeLabels.PENDING_STATE).isEmpty()) {
      return "waits";
    }
    assertIsInProduction(node.get());
    return "in production";
  }

  private String since(Instant at) {
    Duration passed = Duration.between(secondAt, at);
    Duration size = passed.abs();
    return "second %s %d:%02d"
        .formatted(passed.isNegative() ? "-" : "+", size.toMinutes(), size.toSecondsPart());
  }

  private static void assertIsInProduction(Node node) {
    assertThat(node.metadata().label(NodeLabels.STATE)).isEqualTo("production");
    assertThat(node.metadata().label(NodeLabels.RESERVED)).isEqualTo(Given.OFFER.organization());
    assertThat(node.metadata().taints())
        .noneMatch(taint -> taint.key().equals(NodeTaints.RESERVED.key()));
    assertThat(node.metadata().annotations())
        .doesNotContainKeys(
            NodeAnnotations.REBOOT_POLICY.key(), NodeAnnotations.CORDON_REASON.key());
    assertThat(node.status().lifecycle()).isEqualTo(Node.Lifecycle.PRODUCTION);
    assertThat(node.cordoned()).isFalse();
    assertThat(node.removing()).isEmpty();
  }

  private static String orNone(String text) {
    return text.isEmpty() ? "none" : text;
  }

  /** What is recorded on the Node now. */
  String record(String first, String second) {
    Optional<Node> node = play.node();
    if (node.isEmpty()) {
      return "left";
    }
    List<String> facts = new ArrayList<>();
    facts.add(
        switch (play.disruption().orElse(null)) {
          case Disruption.Admitted admitted -> recorded(admitted.causes(), first, second);
          case Disruption.Committed committed ->
              recorded(committed.causes(), first, second)
                  + (committed.isLeaving() ? " leaves" : " committed");
          case Disruption.PassedOver passed when passed.until().isAfter(play.now()) ->
              "none, passed over for %d min"
                  .formatted(Duration.between(play.now(), passed.until()).toMinutes());
          case Disruption.PassedOver _, Disruption.Requested _ -> "none";
          case null -> "none";
        });
    if (!node.get().metadata().label(NodeLabels.PENDING_STATE).isEmpty()) {
      facts.add("requested");
    }
    facts.add(node.get().cordoned() ? "cordoned" : "not cordoned");
    return String.join(", ", facts);
  }
}

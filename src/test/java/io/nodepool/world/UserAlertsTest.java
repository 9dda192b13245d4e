package io.nodepool.world;

import static java.time.temporal.ChronoUnit.HOURS;
import static java.time.temporal.ChronoUnit.MINUTES;
import static java.time.temporal.ChronoUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.health.catalogue.Alert;
import io.nodepool.health.catalogue.AlertCatalogue;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.repair.RepairState;
import io.nodepool.vocabulary.BootKind;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.condition.PoolCondition;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What becomes of repairs when a user changes the alert catalogue, or makes a mistake in it. */
@Tag("world")
class UserAlertsTest extends RepairWorld {
  private static final String HOT = "GPUVeryHot";
  private static final String WHY = "ConfigMap nodepool-alerts cannot be read: alerts.yaml line 3";

  UserAlertsTest() {
    super(47);
  }

  private void grade(String alert, String grade) {
    cluster
        .fleetOwner()
        .alerts(
            AlertCatalogue.shipped()
                .changedBy("alerts.yaml", "alerts: {%s: {grade: %s}}".formatted(alert, grade)));
  }

  /** A mistake is made in the document, and another process leads. */
  private void garbleAndRestart() {
    cluster.fleetOwner().garbleAlerts(WHY);
    drill.world.operators().kill();
    drill.world.operators().start();
  }

  @Test
  void aNodeWhoseAlertIsHeldForWantOfAPlaceIsNamed() {
    List<String> alerts =
        AlertCatalogue.shipped().all().stream()
            .filter(alert -> alert.subject().isOfOneHost() && alert.symptomOf().isEmpty())
            .map(Alert::name)
            .filter(name -> !name.matches("(KubeNode|Host|Pending|NodeReboot).*"))
            .limit(RepairState.MOST_SUSPECTS + 2)
            .toList();
    cluster
        .fleetOwner()
        .alerts(
            AlertCatalogue.shipped()
                .changedBy(
                    "alerts.yaml",
                    alerts.stream()
                        .map("  %s: {grade: out when idle}\n"::formatted)
                        .collect(Collectors.joining("", "alerts:\n", ""))));
    List<Node> nodes = grown(7);
    for (Node node : nodes.subList(0, 6)) {
      alerts.subList(1, alerts.size()).forEach(alert -> report(node, alert));
    }
    drill.advance(30, MINUTES);
    assertThat(pool.seen().status().repairs().full()).isTrue();
    Node last = nodes.getLast();
    report(last, alerts.getFirst());
    drill.advance(30, MINUTES);
    RepairState repairs = pool.seen().status().repairs();
    // All wait but the one that is verified.
    assertThat(repairs.waiting())
        .isEqualTo(nodes.size() - (repairs.admitted().isPresent() ? 1 : 0));
    assertThat(repairs.admitted().map(RepairState.Admitted::node))
        .isNotEqualTo(Optional.of(last.name()));
    assertThat(held()).contains("AlertSuspected");
    drill.advance(24, HOURS);
    assertThat(powerCycles(last)).isZero();
    assertThat(now(last)).isPresent();
  }

  private List<String> held() {
    return pool.seen().status().condition(PoolCondition.REPAIRS_HELD).stream()
        .map(condition -> condition.reason().word())
        .toList();
  }

  private List<String> uncordoned() {
    return drill
        .events(EventReason.NODE_UNCORDONED)
        .map(event -> event.eventDraft().message())
        .toList();
  }

  @Test
  void aProcessThatStartsWithADocumentThatCannotBeReadRepairsNothing() {
    grade(OUT_NOW, "watch");
    Node node = grown(4).getFirst();
    Pod pod = work(node);
    report(node, OUT_NOW);
    drill.advance(30, MINUTES);
    garbleAndRestart();
    drill.advance(24, HOURS);
    assertThat(lives(pod)).isTrue();
    assertThat(present(node).cordoned()).isFalse();
    assertThat(held()).containsExactly("CatalogueUnreadable");
    assertThat(pool.message(PoolCondition.REPAIRS_HELD))
        .isEqualTo(
            "No machine is repaired, since the changes of the alert catalogue could not be read since the operator started; correct or delete the ConfigMap nodepool-alerts. "
                + WHY);
    assertThat(toldHeld()).containsExactly(pool.message(PoolCondition.REPAIRS_HELD));

    grade(OUT_NOW, "watch");
    drill.advance(1, HOURS);
    assertThat(held()).isEmpty();
    assertThat(lives(pod)).isTrue();
  }

  @Test
  void whenTheChangesAreDeletedMachinesAreRepairedAsTheShippedGradesSay() {
    Node node = grown(4).getFirst();
    garbleAndRestart();
    report(node, OUT_NOW);
    drill.advance(1, HOURS);
    assertThat(present(node).cordoned()).isFalse();

    cluster.fleetOwner().alerts(AlertCatalogue.shipped());
    drill.advance(1, HOURS);
    assertThat(now(node)).isEmpty();
    assertThat(held()).isEmpty();
  }

  @Test
  void aNodeThatIsCordonedStaysSoAndIsNotTakenOut() {
    grade(HOT, "out when idle");
    Node node = grown(4).getFirst();
    Pod pod = work(node);
    report(node, HOT);
    drill.advance(10, MINUTES);
    garbleAndRestart();
    cluster.workloads().finish(pod.uid());
    drill.advance(3, HOURS);
    assertThat(present(node).cordoned()).isTrue();
    assertThat(present(node).isDraining()).isFalse();
    assertThat(present(node).alerts().published()).containsKey(HOT);
    assertThat(host(node).deliveries().isSetAside()).isFalse();

    grade(HOT, "out when idle");
    drill.advance(1, HOURS);
    assertThat(now(node)).isEmpty();
  }

  @Test
  void aNodeThatLeavesForSomethingElseIsNotSetAsideMeanwhile() {
    Node node = grown(1).getFirst();
    garbleAndRestart();
    report(node, OUT_NOW);
    drill.advance(10, MINUTES);
    pool.target(0);
    drill.advance(1, HOURS);
    assertThat(now(node)).isEmpty();
    assertThat(host(node).deliveries().isSetAside()).isFalse();
  }

  @Test
  void aProcessThatReadAnEarlierDocumentGoesOnWithThat() {
    grade(HOT, "out now");
    Node node = grown(4).getFirst();
    cluster.fleetOwner().garbleAlerts(WHY);
    report(node, HOT);
    drill.advance(1, HOURS);
    assertThat(now(node)).isEmpty();
    assertThat(held()).isEmpty();
  }

  @Test
  void aGradeThatAsksForNothingAnyMoreIsTheReasonForWhichACordonIsTakenBack() {
    Node node = grown(4).getFirst();
    work(node);
    report(node, OUT_WHEN_IDLE);
    drill.advance(10, MINUTES);
    grade(OUT_WHEN_IDLE, "watch");
    drill.advance(1, MINUTES);
    assertThat(present(node).cordoned()).isFalse();
    assertThat(uncordoned())
        .contains(
            "Node %s is uncordoned and stays in NodePool a: the alert catalogue asks for no such repair."
                .formatted(node.name()));
  }

  @Test
  void aBootThatTheFleetDoesNotOfferAnyMoreIsTheReasonLikewise() {
    Node node = grown(4).getFirst();
    work(node);
    report(node, RESET);
    drill.advance(10, MINUTES);
    assertThat(present(node).cordoned()).isTrue();
    cluster.fleetOwner().withdrawBoot(BootKind.HOST_AND_DPU_RESET);
    drill.advance(1, MINUTES);
    assertThat(present(node).cordoned()).isFalse();
    assertThat(uncordoned())
        .contains(
            "Node %s is uncordoned and stays in NodePool a: the fleet does not offer the boot that its alert asks for."
                .formatted(node.name()));
  }

  @Test
  void aBootThatIsAskedForNoMoreIsNotPendingThoughAnotherAlertKeepsTheCordon() {
    Node node = grown(4).getFirst();
    work(node);
    report(node, RESET);
    report(node, OUT_WHEN_IDLE);
    drill.advance(30, SECONDS);
    assertThat(present(node).status().lifecycle().pending())
        .hasValueSatisfying(pending -> assertThat(pending.status()).isTrue());

    grade(RESET, "watch");
    drill.advance(10, SECONDS);
    assertThat(present(node).cordoned()).isTrue();
    assertThat(present(node).status().lifecycle().pending()).isEmpty();
  }
}

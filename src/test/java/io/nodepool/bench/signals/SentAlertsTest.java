package io.nodepool.bench.signals;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.nodepool.bench.signals.SentAlerts.Part;
import io.nodepool.bench.signals.SentAlerts.Rounds;
import io.nodepool.bench.signals.SentAlerts.SentAlert;
import io.nodepool.health.SignalKey;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SentAlertsTest {
  private static final Instant PREPARED = Instant.parse("2026-11-27T08:00:00Z");
  private static final Instant BEGUN = Instant.parse("2026-11-27T09:00:00.250Z");
  private static final List<SentAlerts> GROUPS = SentAlerts.of(nodes(450), PREPARED);

  private static List<String> nodes(int number) {
    return IntStream.range(0, number).mapToObj("g%03d"::formatted).toList();
  }

  private static Rounds rounds(int first, int last) {
    return new Rounds(BEGUN, first, last);
  }

  @Test
  void aGroupIsOneGpuOfUpTo200Nodes() {
    assertThat(GROUPS).hasSize(3 * 8);
    assertThat(GROUPS.getFirst().nodes()).hasSize(200);
    assertThat(GROUPS.getLast().nodes()).hasSize(50);
    assertThat(GROUPS.getLast().gpu()).isEqualTo(7);
  }

  @Test
  void nineInTenAreRepeatsAndEachNodeChangesOnce() {
    for (SentAlerts group : GROUPS) {
      Set<String> changed = new HashSet<>();
      for (int round = 0; round < SentAlerts.ONE_IN; round++) {
        List<SentAlert> changes = group.changes(Part.MOSTLY_REPEATED, rounds(round, round));
        List<SentAlert> all = group.alerts(Part.MOSTLY_REPEATED, rounds(round, round));
        assertThat(changes).hasSize(group.nodes().size() / SentAlerts.ONE_IN);
        assertThat(all).hasSize(group.nodes().size()).containsAll(changes);
        changes.forEach(alert -> assertThat(changed.add(alert.node())).isTrue());
      }
      assertThat(changed).containsExactlyInAnyOrderElementsOf(group.nodes());
    }
  }

  @Test
  void whatIsNotChangedIsSentAsBefore() {
    for (SentAlerts group : GROUPS) {
      List<SentAlert> known = new ArrayList<>(group.alerts(Part.PREPARED, rounds(0, 0)));
      for (int round = 0; round < 8; round++) {
        List<SentAlert> all =
            new ArrayList<>(group.alerts(Part.MOSTLY_REPEATED, rounds(round, round)));
        List<SentAlert> changes = group.changes(Part.MOSTLY_REPEATED, rounds(round, round));
        all.removeAll(changes);
        assertThat(known).containsAll(all);
        known.addAll(changes);
      }
    }
  }

  @Test
  void aNotificationForSeveralRoundsHasTheChangesOfAll() {
    SentAlerts group = GROUPS.getFirst();
    List<SentAlert> one = new ArrayList<>(group.changes(Part.MOSTLY_REPEATED, rounds(2, 2)));
    one.addAll(group.changes(Part.MOSTLY_REPEATED, rounds(3, 3)));
    assertThat(group.changes(Part.MOSTLY_REPEATED, rounds(2, 3)))
        .containsExactlyInAnyOrderElementsOf(one);
  }

  @Test
  void allAlertsBeginAnewAndEndInTurn() {
    SentAlerts group = GROUPS.getFirst();
    Instant begun = Instant.parse("2026-11-27T09:00:00Z");
    assertThat(group.changes(Part.CHANGED, rounds(0, 0)))
        .hasSize(200)
        .contains(new SentAlert("g007", 0, SentAlerts.STANDING, begun, Optional.empty()));
    assertThat(group.alerts(Part.CHANGED, rounds(1, 3)))
        .hasSize(200)
        .contains(
            new SentAlert(
                "g007",
                0,
                SentAlerts.STANDING,
                begun.plusSeconds(16),
                Optional.of(begun.plusSeconds(24))));
  }

  @Test
  void aNotificationIsOneOfAlertmanagersVersion4() throws Exception {
    SentAlerts group = GROUPS.get(7);
    List<SentAlert> alerts = group.alerts(Part.MOSTLY_REPEATED, rounds(0, 0));
    JsonNode body = new ObjectMapper().readTree(group.notification(alerts));

    assertThat(body.path("version").asText()).isEqualTo("4");
    assertThat(body.path("alerts")).hasSize(200);
    JsonNode ended = body.path("alerts").get(0);
    assertThat(ended.path("status").asText()).isEqualTo("resolved");
    assertThat(ended.at("/labels/node").asText()).isEqualTo("g000");
    assertThat(ended.path("endsAt").asText()).isEqualTo("2026-11-27T09:00:00Z");
    JsonNode firing = body.path("alerts").get(20);
    assertThat(firing.path("status").asText()).isEqualTo("firing");
    assertThat(firing.path("endsAt").asText()).isEqualTo("0001-01-01T00:00:00Z");
    assertThat(alerts)
        .allSatisfy(alert -> assertThat(SignalKey.parse(alert.key().text())).isPresent());
  }
}

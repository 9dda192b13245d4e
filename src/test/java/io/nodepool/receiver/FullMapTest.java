package io.nodepool.receiver;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.health.Signal;
import io.nodepool.health.SignalKey;
import io.nodepool.health.catalogue.AlertCatalogue;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What goes from a full object (decision D280). */
class FullMapTest {
  private static final Instant BEGIN = Instant.parse("2026-11-26T18:00:00Z");

  /** Taken out of service at once, by its text: "immediately". */
  private static final String STRONGEST = "GPUFallenOffBus";

  private final List<Signal> stored = new ArrayList<>();

  private static Signal signal(String component, String name, int minute) {
    return Signal.standing(
        new SignalKey("alertmanager", component, name), BEGIN.plusSeconds(60L * minute));
  }

  /** Fills the rest of the object with signals of an alert. */
  private void fillUp(String name) {
    for (int i = stored.size(); i < Signal.MOST; i++) {
      stored.add(signal("part" + i, name, 100 + i));
    }
  }

  private FullMap fit(Signal... received) {
    Set<String> keys =
        stored.stream().map(signal -> signal.key().text()).collect(Collectors.toSet());
    TreeMap<SignalKey, Signal> all = new TreeMap<>();
    for (Signal each : received) {
      all.put(each.key(), each);
    }
    return FullMap.fit(new HashSet<>(keys), stored, all, AlertCatalogue.shipped());
  }

  @Test
  void nothingGoesWhileThereIsRoom() {
    FullMap fit = fit(signal("host", "Unknown", 1));

    assertThat(fit.kept()).hasSize(1);
    assertThat(fit.removed()).isEmpty();
  }

  @Test
  void theFirstThatEndedGoesFirstHoweverStrongItWas() {
    stored.add(signal("a", STRONGEST, 1).endedAt(BEGIN.plusSeconds(900)));
    stored.add(signal("b", STRONGEST, 2).endedAt(BEGIN.plusSeconds(800)));
    fillUp("Unknown");

    FullMap fit = fit(signal("new", "AlsoUnknown", 200));

    assertThat(fit.ended()).containsExactly("alertmanager.b." + STRONGEST);
    assertThat(fit.weaker()).isEmpty();
    assertThat(fit.kept()).hasSize(1);
  }

  @Test
  void thenTheOldestOfTheWeakestGradeIfTheNewOneIsStronger() {
    stored.add(signal("a", "Unknown", 2));
    stored.add(signal("b", "Unknown", 1));
    fillUp(STRONGEST);

    FullMap fit = fit(signal("new", STRONGEST, 200));

    assertThat(fit.weaker()).containsExactly("alertmanager.b.Unknown");
    assertThat(fit.refused()).isEmpty();
  }

  @Test
  void oneThatIsNotStrongerIsRefused() {
    fillUp("Unknown");

    FullMap fit = fit(signal("new", "AlsoUnknown", 200));

    assertThat(fit.kept()).isEmpty();
    assertThat(fit.refused()).extracting(SignalKey::name).containsExactly("AlsoUnknown");
  }

  @Test
  void changesOfWhatIsStoredNeedNoRoomAndKeepIt() {
    fillUp("Unknown");
    Signal end = stored.getFirst().endedAt(BEGIN.plusSeconds(90_000));

    FullMap fit = fit(end, signal("new", STRONGEST, 200));

    assertThat(fit.kept()).hasSize(2);
    assertThat(fit.weaker()).containsExactly(stored.get(1).key().text());
  }

  @Test
  void whatIsOverAndWasNotStoredTakesNoPlace() {
    fillUp("Unknown");

    FullMap fit = fit(signal("new", STRONGEST, 200).endedAt(BEGIN.plusSeconds(90_000)));

    assertThat(fit.kept()).isEmpty();
    assertThat(fit.refused()).isEmpty();
  }

  @Test
  void ofMoreSignalsThanThereIsRoomForTheStrongestAreKept() {
    Signal[] received = new Signal[Signal.MOST + 1];
    for (int i = 0; i < received.length; i++) {
      received[i] = signal("part" + i, i == 40 ? STRONGEST : "Unknown", i);
    }

    FullMap fit = fit(received);

    assertThat(fit.kept()).hasSize(Signal.MOST).containsKey(received[40].key());
    assertThat(fit.refused()).containsExactly(received[Signal.MOST].key());
  }
}

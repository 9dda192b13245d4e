package io.nodepool.receiver;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.HostId;
import io.nodepool.health.HostSignals;
import io.nodepool.health.Signal;
import io.nodepool.health.SignalKey;
import io.nodepool.receiver.StoredSignals.Stored;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What is known when the watch and the answers to own writes arrive in any order. */
class StoredSignalsTest {
  private static final SignalKey KEY = new SignalKey("alertmanager", "host", "A");
  private static final Signal STANDS = Signal.standing(KEY, Instant.parse("2026-11-26T18:00:00Z"));

  private final StoredSignals stored = new StoredSignals();

  private static HostSignals object(String uid, long version, Signal... signals) {
    return new HostSignals("g1", uid, Optional.of("host"), version, List.of(signals), 0);
  }

  private boolean isKnown() {
    return stored.about("g1").times(KEY).isPresent();
  }

  @Test
  void theNewerVersionCounts() {
    stored.answered(object("a", 5, STANDS));
    stored.observed(object("a", 4));
    assertThat(isKnown()).isTrue();

    stored.observed(object("a", 6));
    stored.answered(object("a", 5, STANDS));
    assertThat(isKnown()).isFalse();
  }

  @Test
  void anAnswerThatArrivesAfterTheDeletionStoresNothing() {
    stored.observed(object("a", 5));
    stored.gone("g1", "a", 6);
    stored.answered(object("a", 6, STANDS));

    assertThat(stored.about("g1").exists()).isFalse();
    assertThat(isKnown()).isFalse();
  }

  @Test
  void aDeletionThatIsFoundByAListEndsWhatAnAnswerSaid() {
    stored.observed(object("a", 5));
    stored.answered(object("a", 8, STANDS));
    // The list knows only the version that the watch has shown.
    stored.gone("g1", "a", 5);

    assertThat(stored.about("g1").exists()).isFalse();
  }

  @Test
  void theLateDeletionOfAnEarlierObjectLeavesItsSuccessor() {
    stored.observed(object("a", 5));
    stored.answered(object("b", 8, STANDS));
    stored.gone("g1", "a", 7);

    assertThat(isKnown()).isTrue();
  }

  @Test
  void nothingIsKeptOfAHostThatIsGone() {
    stored.observed(object("a", 5, STANDS));
    stored.forget("g1");

    assertThat(stored.about("g1")).isEqualTo(Stored.NOTHING);
  }

  @Test
  void namesFollowTheHosts() {
    HostNames names = new HostNames();
    HostId first = new HostId("g1", "uid-1");
    HostId second = new HostId("g1", "uid-2");
    names.seen(first, "S1");
    names.seen(second, "S2");
    names.gone(first);

    assertThat(names.find(new ReceivedAlert.MachineName("g1", false))).contains(second);
    assertThat(names.find(new ReceivedAlert.MachineName("S1", true))).isEmpty();
    assertThat(names.find(new ReceivedAlert.MachineName("S2", true))).contains(second);

    names.gone(second);
    assertThat(names.has("g1")).isFalse();
    assertThat(names.find(new ReceivedAlert.MachineName("S2", true))).isEmpty();
  }
}

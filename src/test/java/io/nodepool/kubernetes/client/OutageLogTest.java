package io.nodepool.kubernetes.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class OutageLogTest {
  private final List<String> lines = new ArrayList<>();
  private long nanos;
  private final OutageLog log =
      new OutageLog("the Lease cannot be read", () -> nanos, lines::add, lines::add);

  private void fail(int times, Duration between) {
    for (int i = 0; i < times; i++) {
      log.failed("no connection");
      nanos += between.toNanos();
    }
  }

  @Test
  void theFirstFailureIsLoggedAndThenOneLineAMinute() {
    fail(1, Duration.ofMillis(300));
    assertThat(lines).containsExactly("the Lease cannot be read: no connection");

    fail(1000, Duration.ofMillis(300));
    assertThat(lines)
        .containsExactly(
            "the Lease cannot be read: no connection",
            "the Lease cannot be read: no connection (200 failures since the last such line)",
            "the Lease cannot be read: no connection (200 failures since the last such line)",
            "the Lease cannot be read: no connection (200 failures since the last such line)",
            "the Lease cannot be read: no connection (200 failures since the last such line)",
            "the Lease cannot be read: no connection (200 failures since the last such line)");
  }

  @Test
  void theRecoveryIsLoggedOnceAndIntermittentFailuresDoNotFloodTheLog() {
    for (int i = 0; i < 100; i++) {
      fail(1, Duration.ofMillis(300));
      log.worked();
      log.worked();
    }
    assertThat(lines)
        .containsExactly(
            "the Lease cannot be read: no connection", "the Lease cannot be read: recovered");
  }

  @Test
  void successesAreNotLogged() {
    log.worked();
    assertThat(lines).isEmpty();
  }
}

package io.nodepool.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RequestLogTest {
  private Instant now = Instant.parse("2026-01-01T10:00:00Z");
  private final RequestLog log = new RequestLog(() -> now);

  private void send(String path, int times, int secondsBetween) {
    for (int i = 0; i < times; i++) {
      log.sending("patch", URI.create("https://127.0.0.1:1" + path));
      now = now.plusSeconds(secondsBetween);
    }
  }

  @Test
  void theBusiestMinuteOfEachPathIsFound() {
    Instant start = now;
    send("/api/v1/nodes/a/status?force=true", 12, 10);
    send("/api/v1/nodes/b", 7, 1);

    assertThat(log.busiestMinutes(start))
        .isEqualTo(Map.of("/api/v1/nodes/a/status", 6, "/api/v1/nodes/b", 7));
    assertThat(log.busiestMinutes(start.plusSeconds(100)))
        .isEqualTo(Map.of("/api/v1/nodes/a/status", 2, "/api/v1/nodes/b", 7));
    assertThat(log.times("patch", "/api/v1/nodes/a/status", start)).hasSize(12);
  }
}

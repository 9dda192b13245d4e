package io.nodepool.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.cli.command.Meters;
import org.junit.jupiter.api.Test;

class MetersTest {
  @Test
  void theProcessReportsItsVersionAndItsRuntime() {
    try (Meters meters = new Meters()) {
      assertThat(meters.registry().scrape())
          .contains("nodepool_build{version=\"development\"} 1.0")
          .contains("jvm_memory_used_bytes")
          .contains("jvm_threads_live_threads")
          .contains("process_uptime_seconds")
          .contains("system_cpu_count");
    }
  }
}

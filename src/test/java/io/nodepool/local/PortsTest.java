package io.nodepool.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PortsTest {
  @Test
  void aPortThatWasTriedIsNotTriedAgain() throws Exception {
    Set<Integer> tried = new HashSet<>();
    Set<Integer> drawn = new HashSet<>();
    for (int attempt = 1; attempt <= 200; attempt++) {
      Ports ports = Ports.free(tried);
      assertThat(
              Set.of(ports.apiServer(), ports.controllerManager(), ports.scheduler()).stream()
                  .filter(drawn::add))
          .hasSize(3);
    }
    assertThat(tried).isEqualTo(drawn);
  }
}

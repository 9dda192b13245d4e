package io.nodepool.world;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.OperatorOverrides;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Plays again what suites have found with seeds that they do not reach by default. {@code
 * -Dworld.run='rollout, seed 7'} plays one run instead, as a failing suite prints it, and {@code
 * -Dworld.trace=true} prints what takes effect in it.
 */
@Tag("world")
class RecordedRunsTest {
  private static final Path RECORDED = Path.of("src/test/resources/recorded-runs.txt");

  static List<PlayedRun> runs() throws IOException {
    Optional<String> asked = Optional.ofNullable(System.getProperty("world.run"));
    Stream<String> recorded =
        Files.readAllLines(RECORDED).stream()
            .filter(line -> !line.isBlank() && !line.startsWith("#"));
    return asked.map(Stream::of).orElse(recorded).map(PlayedRun::parse).toList();
  }

  @ParameterizedTest
  @MethodSource("runs")
  void theRunRecovers(PlayedRun run) {
    assertThat(run.failure(OperatorOverrides.AS_BUILT)).isEmpty();
  }

  @Test
  void aRunIsReadWithTheFaultsOfItsFleet() {
    FleetFaults faults = new FleetFaults(0, 50, 0, 50, 0, 50).withClock(Duration.ofSeconds(-431));
    PlayedRun run = new PlayedRun("reboot", 7, Faults.NONE, Optional.of(faults));
    assertThat(PlayedRun.parse(run + ", step 12: broken")).isEqualTo(run);
    assertThatThrownBy(() -> PlayedRun.parse("reboot, seed 7, FleetFaults[other=1]: broken"))
        .hasMessageStartingWith("faults that cannot be read: ");
    assertThatThrownBy(() -> PlayedRun.parse("reboot, seed 7, Faults[other=1]: broken"))
        .hasMessageStartingWith("faults that cannot be read: ");
  }
}

package io.nodepool.world;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.OperatorOverrides;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Writes everything that all scenarios write to files, to compare two builds that must behave
 * alike: {@code -Dworld.written=FOLDER}. Without a folder only one scenario is played, twice.
 */
@Tag("world")
class WrittenObjectsTest {
  private static final Optional<Path> FOLDER =
      Optional.ofNullable(System.getProperty("world.written")).map(Path::of);

  @Test
  void aRunWritesTheSameWheneverItIsPlayed() throws IOException {
    List<String> once = written(Scenario.shrink(), 1, Faults.NONE);
    assertThat(once).isNotEmpty().isEqualTo(written(Scenario.shrink(), 1, Faults.NONE));
    if (FOLDER.isPresent()) {
      writeAll(FOLDER.get());
    }
  }

  private static void writeAll(Path folder) throws IOException {
    Files.createDirectories(folder);
    for (Scenario scenario : Scenario.all().toList()) {
      List<String> lines = new ArrayList<>();
      for (long seed = 0; seed < 3; seed++) {
        for (Faults faults : List.of(Faults.NONE, Faults.ROUGH)) {
          lines.add("seed %d, %s".formatted(seed, faults.areRough() ? "rough" : "calm"));
          lines.addAll(written(scenario, seed, faults));
        }
      }
      Files.write(folder.resolve(scenario.name().replaceAll("\\W+", "-")), lines);
    }
  }

  private static List<String> written(Scenario scenario, long seed, Faults faults) {
    Drill drill = Drill.with(seed, scenario.dataCentre(), faults, OperatorOverrides.AS_BUILT);
    List<String> lines = WrittenObjects.of(drill.world);
    scenario.play().accept(drill);
    drill.toRest();
    return lines;
  }
}

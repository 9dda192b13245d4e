package io.nodepool.kubernetes.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Holds the files in {@code crds/} to the classes; with {@code -Dcrds.write=true} writes them. */
class CrdsTest {
  private static final Path FOLDER = Path.of("crds");

  @BeforeAll
  static void writeIfAsked() throws IOException {
    if (Boolean.getBoolean("crds.write")) {
      for (Map.Entry<String, String> file : CrdFiles.texts().entrySet()) {
        Files.writeString(FOLDER.resolve(file.getKey()), file.getValue());
      }
    }
  }

  @Test
  void theFilesAreWhatTheClassesSay() throws IOException {
    assertThat(committed())
        .as("crds/ differs from the classes; run: mvn test -Dtest=CrdsTest -Dcrds.write=true")
        .isEqualTo(CrdFiles.texts());
  }

  private static Map<String, String> committed() throws IOException {
    Map<String, String> texts = new TreeMap<>();
    try (Stream<Path> files = Files.list(FOLDER)) {
      for (Path file : files.toList()) {
        texts.put(file.getFileName().toString(), Files.readString(file));
      }
    }
    return texts;
  }
}

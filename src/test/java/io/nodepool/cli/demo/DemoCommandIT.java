package io.nodepool.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.cli.Main;
import io.nodepool.cli.command.ExitCodes;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The demos as users run them, each on a cluster of its own. */
@Tag("local-cluster")
class DemoCommandIT {
  private static final Pattern KEPT = Pattern.compile("The log is kept: (.*)");

  @TempDir private Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @ParameterizedTest
  @EnumSource
  void everyStepIsSeen(Demo demo) {
    int code = run(demo.word());

    assertThat(err.toString()).as(out.toString()).isEmpty();
    assertThat(code).isEqualTo(ExitCodes.DONE);
    assertThat(out.toString())
        .contains("1. $ kubectl apply -f examples/")
        .endsWith("That was all; the cluster is removed.\n");
  }

  @Test
  void aStepThatDoesNotComeInTimeIsOneError() throws IOException {
    int code = run("shrink", "--timeout", "1");

    assertThat(code).as(out.toString()).isEqualTo(ExitCodes.TIMED_OUT);
    assertThat(err.toString().lines())
        .singleElement()
        .asString()
        .startsWith("nodepool: demo shrink: not seen within 1 s: ")
        .containsPattern(KEPT);
    Path log =
        KEPT.matcher(err.toString())
            .results()
            .map(found -> Path.of(found.group(1)))
            .findFirst()
            .orElseThrow();
    assertThat(log).exists();
    Files.delete(log);
    Files.delete(log.getParent());
  }

  /** Its files are in the project, so that nothing is started elsewhere. */
  @Test
  void elsewhereThanInTheProjectItIsOneError() throws Exception {
    Path log = folder.resolve("log");
    Process demo = process(log, "spot").directory(folder.toFile()).start();
    try {
      assertThat(demo.waitFor(1, TimeUnit.MINUTES)).isTrue();
      assertThat(demo.exitValue()).isEqualTo(ExitCodes.USAGE);
      assertThat(log)
          .content()
          .isEqualToIgnoringNewLines(
              "nodepool: a demo applies files of the directory examples, which is not in the current one; run it in the directory of the project.");
    } finally {
      demo.destroyForcibly();
    }
  }

  /** While it waits for Enter, as long as nobody presses it. */
  @Test
  void aSignalLeavesNothing() throws Exception {
    Path temporary = folder.resolve("temporary");
    Path log = folder.resolve("log");
    Process demo = process(log, "spot", "--pause").start();
    try {
      Awaitility.await()
          .atMost(Duration.ofMinutes(2))
          .until(() ->
              Files.readString(log)
                  .contains("1. $ kubectl apply -f examples/spot-pool.yaml\n   Enter runs it: "));
      List<ProcessHandle> children = demo.descendants().toList();
      assertThat(children).isNotEmpty();

      demo.destroy();

      assertThat(demo.waitFor(30, TimeUnit.SECONDS)).isTrue();
      assertThat(demo.exitValue()).isEqualTo(128 + 15);
      assertThat(children).noneMatch(ProcessHandle::isAlive);
      try (Stream<Path> left = Files.walk(temporary)) {
        assertThat(left).as(Files.readString(log)).containsExactly(temporary);
      }
      assertThat(log).content().doesNotContain("nodepool: ");
    } finally {
      demo.destroyForcibly();
    }
  }

  private ProcessBuilder process(Path log, String... words) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Djava.io.tmpdir=" + Files.createDirectory(folder.resolve("temporary")),
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "demo"));
    command.addAll(List.of(words));
    return new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
  }

  private int run(String... words) {
    String[] all = new String[words.length + 1];
    all[0] = "demo";
    System.arraycopy(words, 0, all, 1, words.length);
    return Main.run(new PrintWriter(out, true), new PrintWriter(err, true), all);
  }
}

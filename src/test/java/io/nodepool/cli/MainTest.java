package io.nodepool.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MainTest {
  private static final String POOL =
      """
      apiVersion: compute.coreweave.com/v1alpha1
      kind: NodePool
      metadata:
        name: a
      spec:
        instanceType: turin-gp
        targetNodes: 1
      """;

  @TempDir private Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          dev --speed 0                | --speed must be a whole number of at least 1, not 0.
          dev --speed x                | Invalid value for option '--speed': 'x' is not an int
          dev --exit-at-target         | --exit-at-target needs a NodePool: add -f FILE.
          dev --timeout 5              | --timeout goes with --exit-at-target.
          dev --metrics-port 70000     | --metrics-port must be from 0 to 65535.
          dev --context a --binaries b | --write-kubeconfig and --binaries are for the local cluster, not for an existing one.
          simulate --speed 0           | --speed must be a whole number of at least 1, not 0.
          simulate --fleet a --data-centre b | --data-centre brings its own name; leave --fleet out.
          run --delivery-deadline 0s   | Invalid value for option '--delivery-deadline': "0s" is no duration above zero; write it like 90s, 5m or 1h30m
          run --registration-deadline x | Invalid value for option '--registration-deadline': "x" is no duration above zero; write it like 90s, 5m or 1h30m
          run --missing-quota maybe    | Invalid value for option '--missing-quota': expected one of [BLOCKED, UNLIMITED] (case-insensitive) but was 'maybe'
          dev --bogus                  | Unknown option: '--bogus'
          bench                        | Bench what? See nodepool bench --help.
          bench grow                   | Missing required option: '--nodes=N'
          bench grow --nodes 0         | --nodes must be a whole number of at least 1, not 0.
          bench grow --nodes 1 --rest 0 | --rest must be at least 1 second.
          bench takeover --nodes 1 --timeout 0 | --timeout must be at least 1 second.
          bogus                        | Unmatched argument at index 0: 'bogus'
          """)
  void aWrongCommandLineIsToldInOneLine(String commandLine, String message) {
    assertThat(run(commandLine.split(" "))).isEqualTo(ExitCodes.USAGE);
    assertThat(err.toString()).isEqualTo("nodepool: " + message + System.lineSeparator());
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void withoutACommandItSaysWhereTheCommandsAre() {
    assertThat(run()).isEqualTo(ExitCodes.USAGE);
    assertThat(err.toString()).contains("nodepool --help");
  }

  @Test
  void aManifestThatIsNotThereIsToldInOneLine() {
    assertFailure("%s does not exist.", folder.resolve("none.yaml"));
  }

  @Test
  void aManifestThatIsNoYamlIsToldWithItsLine() throws Exception {
    assertFailure("%s is no YAML: line 2:", write("a: 1\n  b: [\n"));
  }

  @Test
  void aManifestOfSomethingElseIsToldWithWhatItIs() throws Exception {
    assertFailure(
        "%s: expected a NodePool of compute.coreweave.com/v1alpha1, found Pod of v1.",
        write(POOL + "---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: p\n"));
    assertFailure(
        "%s: expected a NodePool of compute.coreweave.com/v1alpha1, found something without apiVersion and kind.",
        write("a: 1\n"));
  }

  @Test
  void anEmptyManifestIsTold() throws Exception {
    assertFailure("%s holds no NodePool.", write("# nothing\n---\n"));
  }

  @Test
  void aManifestWithoutANameIsTold() throws Exception {
    assertFailure("%s: a NodePool has no metadata.name.", write(POOL.replace("name: a", "x: a")));
  }

  @Test
  void aDataCentreWithAMistakeIsToldBeforeAnythingStarts() throws Exception {
    Path file =
        write(
            """
            apiVersion: fleet.nodepool.io/v1alpha1
            kind: SimulatedFleet
            metadata:
              name: a
            spec:
              zone: US-EAST-04A
              racks:
                - name: r
                  instanceType: turin
                  hosts: 4
            """);

    assertThat(run("dev", "--data-centre", file.toString())).isEqualTo(ExitCodes.FAILED);
    assertThat(err.toString())
        .isEqualTo(
            "nodepool: %s: spec.racks: rack r: there is no instance type \"turin\"; did you mean turin-gp?%n"
                .formatted(file));
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void aContextThatIsNotThereIsTold() throws Exception {
    Path kubeconfig = write("apiVersion: v1\nkind: Config\ncontexts: []\n");

    assertThat(run("dev", "--kubeconfig", kubeconfig.toString(), "--context", "nope"))
        .isEqualTo(ExitCodes.FAILED);
    assertThat(err.toString())
        .isEqualTo("nodepool: The kubeconfig has no context nope." + System.lineSeparator());
  }

  @Test
  void anApiServerThatIsNotThereIsToldInOneLine() throws Exception {
    Path kubeconfig =
        write(
            """
            apiVersion: v1
            kind: Config
            clusters:
            - name: c
              cluster:
                server: http://127.0.0.1:1
            users:
            - name: c
              user:
                token: t
            contexts:
            - name: c
              context:
                cluster: c
                user: c
            current-context: c
            """);

    assertThat(run("dev", "--kubeconfig", kubeconfig.toString())).isEqualTo(ExitCodes.FAILED);
    assertThat(err.toString().lines())
        .singleElement()
        .asString()
        .startsWith("nodepool: the API server cannot be reached:");
  }

  @Test
  void theCrdsArePrintedAsTheyAreCommitted() throws Exception {
    assertThat(run("crds")).isZero();
    assertThat(err.toString()).isEmpty();
    try (var files = Files.list(Path.of("crds"))) {
      for (Path file : files.toList()) {
        assertThat(out.toString()).contains(Files.readString(file));
      }
    }
  }

  private void assertFailure(String message, Path file) {
    err.getBuffer().setLength(0);
    assertThat(run("dev", "-f", file.toString())).isEqualTo(ExitCodes.FAILED);
    assertThat(err.toString().lines())
        .singleElement()
        .asString()
        .startsWith("nodepool: " + message.formatted(file));
    assertThat(out.toString()).isEmpty();
  }

  private Path write(String text) throws Exception {
    return Files.writeString(folder.resolve("file.yaml"), text);
  }

  private int run(String... args) {
    return Main.run(new PrintWriter(out, true), new PrintWriter(err, true), args);
  }
}

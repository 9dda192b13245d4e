package io.nodepool.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.cli.command.ExitCodes;
import io.nodepool.plugin.input.PluginCommand;
import io.nodepool.plugin.input.PluginSurroundings;
import io.nodepool.plugin.input.Questions;
import io.nodepool.plugin.text.Age;
import io.nodepool.plugin.text.TextTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine.Model.CommandSpec;

/** Errors in a command line are one clear line with the exit code 2, and texts. */
class PluginInputTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String line) {
    return KubectlPlugin.run(
        new PluginSurroundings(
            _ -> Optional.empty(), InstantSource.system(), System::nanoTime, _ -> {}),
        new PrintWriter(out, true),
        new PrintWriter(err, true),
        line.isEmpty() ? new String[0] : line.split(" "));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      emptyValue = "",
      value = {
        "'' | missing command; see kubectl nodepool --help",
        "node | missing command; see kubectl nodepool node --help",
        "node reboot | Missing required parameter: 'NODE'",
        "node describe | Missing required parameter: 'NODE'",
        "node cordon Not_A_Name | \"Not_A_Name\" is not a valid object name: up to 253 characters of a-z, 0-9, and - and . inside",
        "node get A | '\"A\" is not a valid object name: up to 253 characters of a-z, 0-9, and - and . inside'",
        "node get -o xml | Invalid value for option '--output': \"xml\" is not a format; formats: wide, json, yaml, name",
        "node describe g1 -o wide | Invalid value for option '--output': \"wide\" is not a format; formats: json, yaml",
        "node reboot --safe --force g1 | --safe waits until the Node is idle, --force does not: use one",
        "node reboot --reconfigure --safe g1 | --reconfigure waits until the Node is idle by itself: leave out --safe",
        "node reboot --reconfigure --power-reset g1 | --reconfigure includes a power cycle: leave out --power-reset",
        "node reboot --message= g1 | --message has no text",
        "node reboot --timeout 5m g1 | --timeout needs --wait",
        "node reboot --wait --timeout soon g1 | Invalid value for option '--timeout': \"soon\" is not a duration above zero; examples: 90s, 5m, 1h30m",
        "node drain --timeout 0s g1 | Invalid value for option '--timeout': \"0s\" is not a duration above zero; examples: 90s, 5m, 1h30m",
        "host | missing command; see kubectl nodepool host --help",
        "host release | Missing required parameter: 'HOST'",
        "host release A | \"A\" is not a valid object name: up to 253 characters of a-z, 0-9, and - and . inside",
        "revisions | Missing required parameter: 'POOL'",
        "upgrade | Missing required parameter: 'POOL'",
        "upgrade train --timeout 5m | --timeout needs --wait",
        "rollback Train | \"Train\" is not a valid object name: up to 253 characters of a-z, 0-9, and - and . inside",
        "rollback train --wait --timeout soon | Invalid value for option '--timeout': \"soon\" is not a duration above zero; examples: 90s, 5m, 1h30m",
        "rollout | missing command; see kubectl nodepool rollout --help",
        "rollout start | Missing required parameter: 'POOL'",
        "rollout start train --max-unavailable 0 | Invalid value for option '--max-unavailable': \"0\" is not a number of Nodes above zero or a percentage from 1% to 100%; examples: 5, 10%",
        "rollout start train --canary few | Invalid value for option '--canary': \"few\" is not a number of Nodes; examples: 2, or 0 for none",
        "rollout start train --canary 2 --soak 10 | Invalid value for option '--soak': \"10\" is not a duration; examples: 90s, 10m, 1h30m",
        "release train --for 2h | --for needs --suspect",
        "repairs --by zone | Invalid value for option '--by': \"zone\" is not host, rack or switch",
        "repairs --within 0s | Invalid value for option '--within': \"0s\" is not a duration above zero; examples: 90s, 5m, 1h30m",
        "node get --kubeconfig /does/not/exist | /does/not/exist does not exist."
      })
  void anErrorIsReportedInOneLine(String line, String message) {
    assertThat(run(line)).isEqualTo(2);
    assertThat(err.toString()).isEqualTo("error: " + message + "\n");
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void anUnknownWordIsFollowedByAHint() {
    assertThat(run("node reboot --now g1")).isEqualTo(2);
    assertThat(err.toString())
        .isEqualTo("error: unknown option \"--now\"\nSee 'kubectl nodepool node reboot --help'.\n");
  }

  /** One table for all verbs: the constants, the help and the page say the same. */
  @Test
  void theExitCodesOfThePageAreThoseOfTheHelp() throws IOException, IllegalAccessException {
    Map<String, String> codes = new TreeMap<>();
    for (Field constant : ExitCodes.class.getFields()) {
      codes.put(String.valueOf(constant.getInt(null)), constant.getName());
    }
    Map<String, String> page = new TreeMap<>();
    Matcher row =
        Pattern.compile("(?m)^\\| (\\d) \\| (.*) \\|$")
            .matcher(Files.readString(Path.of("docs/kubectl.md")));
    while (row.find()) {
      page.put(row.group(1), row.group(2).replace("`", ""));
    }
    assertThat(page.keySet()).isEqualTo(codes.keySet());
    assertThat(
            verbs(
                    KubectlPlugin.commandLine(
                            PluginSurroundings.ofThisProcess(new PrintWriter(err)), List.of())
                        .getCommandSpec())
                .filter(each -> each.userObject() instanceof PluginCommand))
        .hasSizeGreaterThan(20)
        .allSatisfy(each ->
            assertThat(each.usageMessage().exitCodeList())
                .as(each.qualifiedName())
                .isEqualTo(page));
  }

  private static Stream<CommandSpec> verbs(CommandSpec command) {
    return Stream.concat(
        Stream.of(command),
        command.subcommands().values().stream().flatMap(each -> verbs(each.getCommandSpec())));
  }

  @Test
  void theVersionIsAVerbToo() {
    assertThat(run("version")).isZero();
    assertThat(out.toString()).isEqualTo("kubectl nodepool development\n");
  }

  @Test
  void helpIsAVerbToo() {
    assertThat(run("help scale")).isZero();
    assertThat(out.toString()).startsWith("Usage: kubectl nodepool scale ");
  }

  @Test
  void helpSaysWhatUncordonCancels() {
    assertThat(run("node uncordon --help")).isZero();
    assertThat(out.toString()).contains("cancels a reboot or verification that is pending");
  }

  @ParameterizedTest
  @CsvSource({
    "0s, 0s",
    "119s, 119s",
    "2m, 2m",
    "9m59s, 9m59s",
    "10m, 10m",
    "179m, 179m",
    "3h, 3h",
    "7h59m, 7h59m",
    "8h, 8h",
    "47h, 47h",
    "49h, 2d1h",
    "192h, 8d",
    "17544h, 2y1d",
    "87600h, 10y"
  })
  void agesAreThoseOfKubectl(String passed, String text) {
    Instant then = Instant.parse("2016-01-01T00:00:00Z");
    Duration age = Duration.parse("PT" + passed.toUpperCase(java.util.Locale.ROOT));
    assertThat(Age.since(then.toString(), then.plus(age))).isEqualTo(text);
    assertThat(Age.since("", then)).isEqualTo("<unknown>");
  }

  @ParameterizedTest
  @CsvSource({"y, true", "Yes, true", " YES , true", "'', false", "n, false", "yet, false"})
  void onlyYesMeansYes(String answer, boolean agreed) {
    assertThat(Questions.isYes(answer)).isEqualTo(agreed);
  }

  @Test
  void aCellHasNoCharactersThatControlATerminal() {
    assertThat(TextTable.plain("a\u001b[31m\r\nb\t")).isEqualTo("a [31m b");
  }
}

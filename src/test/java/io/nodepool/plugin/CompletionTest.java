package io.nodepool.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.plugin.input.PluginSurroundings;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The completion knows all commands, and asks kubectl for names. */
class CompletionTest {
  private static final Path SCRIPT = Path.of("bin/kubectl_complete-nodepool");

  /** Prints its arguments to a file, and names by the list that it is asked for. */
  private static final String KUBECTL =
      """
      #!/bin/sh
      echo "$*" >>"$0.asked"
      case "$*" in
        "get nodepools"*) printf 'train\\nrest\\n' ;;
        "get nodes -l compute.coreweave.com/node-pool=train"*) printf 'g1\\n' ;;
        "get nodes"*) printf 'g1\\ng2\\n' ;;
        "get hosts"*instanceType*) printf 'gb200-4x\\ngb200-4x\\nh\\n' ;;
        "get hosts"*) printf 'g7\\n' ;;
      esac
      """;

  @TempDir private Path folder;

  @Test
  void theScriptHasAllCommands() throws IOException {
    String script = Files.readString(SCRIPT);
    int begin = script.indexOf("  # begin\n") + "  # begin\n".length();
    int end = script.indexOf("  # end\n");
    String facts =
        facts(
                KubectlPlugin.commandLine(
                        PluginSurroundings.ofThisProcess(new PrintWriter(new StringWriter())),
                        List.of())
                    .getCommandSpec(),
                "")
            .collect(Collectors.joining());

    if (Boolean.getBoolean("reference.write")) {
      Files.writeString(SCRIPT, script.substring(0, begin) + facts + script.substring(end));
      return;
    }
    assertThat(script.substring(begin, end).lines().toList())
        .as(
            "%s differs from the commands; run: mvn test -Dtest=CompletionTest -Dreference.write=true",
            SCRIPT)
        .isEqualTo(facts.lines().toList());
  }

  private static Stream<String> facts(CommandSpec command, String path) {
    Map<String, CommandLine> parts = new TreeMap<>(command.subcommands());
    TreeSet<String> options = new TreeSet<>();
    Stream.of(command.optionsMap(), command.negatedOptionsMap())
        .flatMap(each -> each.entrySet().stream())
        .forEach(each -> options.add(each.getKey() + value(each.getValue())));
    String parameters =
        command.positionalParameters().stream()
            .map(each -> each.paramLabel() + (each.index().isVariable() ? "..." : ""))
            .collect(Collectors.joining(" "));
    String line =
        "    \"%s\") words=\"%s\" options=\"%s\" parameters=\"%s\" ;;\n"
            .formatted(
                path, String.join(" ", parts.keySet()), String.join(" ", options), parameters);
    return Stream.concat(
        Stream.of(line),
        parts.entrySet().stream()
            .flatMap(each ->
                facts(each.getValue().getCommandSpec(), (path + " " + each.getKey()).strip())));
  }

  private static String value(ArgSpec option) {
    return option instanceof OptionSpec && option.arity().min() > 0
        ? "=" + option.paramLabel()
        : "";
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "''; capacity,describe,explain,get,health,help,host,node,nodes,pause,release,repairs,resume,revisions,rollback,rollout,scale,upgrade,version,what-if,:4",
        "rollout,st; start,status,stop,:4",
        "describe,''; train,rest,:4",
        "rollout,status,t; train,:4",
        "node,get,g; g1,g2,:4",
        "node,get,nodepool/train,''; g1,:4",
        "node,get,train,-l,x=y,-w,''; g1,:4",
        "node,describe,g2; g2,:4",
        "node,reboot,g1,--message,get,g; g1,g2,:4",
        "node,undrain,g1,''; g1,g2,:4",
        "describe,train,''; :4",
        "get,-o,''; wide,json,yaml,name,:4",
        "describe,-o,''; json,yaml,:4",
        "repairs,--by,r; rack,:4",
        "repairs,--by=r; rack,:4",
        "get,--output=; wide,json,yaml,name,:4",
        "scale,--no; --nodes,:4",
        "rollout,start,--no; --no-evict,:4",
        "scale,train,--nodes,''; :4",
        "host,release,''; g7,:4",
        "host,fenced,''; g7,:4",
        "capacity,''; gb200-4x,h,:4",
        "get,--kubeconfig,''; :0",
      })
  void whatMayFollowIsPrinted(String typed, String candidates) throws Exception {
    assertThat(complete(typed.replace("'", "").split(",", -1)))
        .isEqualTo(candidates.replace(",", "\n") + "\n");
  }

  @Test
  void namesAreThoseOfTheClusterThatWasNamed() throws Exception {
    complete("get", "--context", "my cluster", "--kubeconfig=a b", "--as", "jane", "t");
    assertThat(folder.resolve("kubectl.asked"))
        .content()
        .startsWith(
            "get nodepools.compute.coreweave.com --context=my cluster --kubeconfig=a b --as=jane --request-timeout=5s -o jsonpath=");
  }

  @Test
  void theClusterIsNotAskedForVerbsAndOptions() throws Exception {
    complete("node", "re");
    complete("get", "--");
    assertThat(folder.resolve("kubectl.asked")).doesNotExist();
  }

  private String complete(String... words) throws IOException, InterruptedException {
    Path kubectl = Files.writeString(folder.resolve("kubectl"), KUBECTL);
    assertThat(kubectl.toFile().setExecutable(true)).isTrue();
    List<String> command = new ArrayList<>(List.of(SCRIPT.toAbsolutePath().toString()));
    command.addAll(List.of(words));
    Path out = folder.resolve("out");
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(out.toFile());
    builder.environment().put("PATH", folder + File.pathSeparator + System.getenv("PATH"));
    assertThat(builder.start().waitFor()).isZero();
    return Files.readString(out);
  }
}

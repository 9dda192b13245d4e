package io.nodepool.plugin;

import io.nodepool.cli.command.CommandEnvironment;
import io.nodepool.cli.command.CommandFailure;
import io.nodepool.cli.input.ConnectionOptions;
import io.nodepool.kubernetes.client.Clients;
import io.nodepool.plugin.request.ClusterClient;
import io.nodepool.plugin.request.NodeReading;
import io.nodepool.plugin.request.PoolReading;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * What may follow the words of a command line, for the completion of kubectl: it calls the program
 * {@code kubectl_complete-nodepool} with the words after {@code kubectl nodepool}, of which the
 * last one is not complete, and reads a candidate in each line and a last line that begins with a
 * colon.
 */
final class Completion {
  /** The verb by which that program asks. */
  static final String VERB = "__complete";

  /** Files are no candidates: the directive ShellCompDirectiveNoFileComp of cobra. */
  private static final String NO_FILES = ":4";

  /** Files are: the directive ShellCompDirectiveDefault. */
  private static final String FILES = ":0";

  private static final String KUBECONFIG = "--kubeconfig";
  private static final String CONTEXT = "--context";

  private final List<String> words;
  private final String started;
  private CommandSpec command;
  private final List<String> positionals = new ArrayList<>();
  private Optional<OptionSpec> valueOf = Optional.empty();

  private Completion(CommandLine root, List<String> all) {
    this.command = root.getCommandSpec();
    this.words = all.isEmpty() ? List.of() : all.subList(0, all.size() - 1);
    this.started = all.isEmpty() ? "" : all.getLast();
    words.forEach(this::read);
  }

  /** Prints the candidates; none if the cluster does not answer, since nobody reads an error. */
  static int run(CommandLine root, PrintWriter out, List<String> words) {
    Completion completion = new Completion(root, words);
    try {
      completion
          .candidates()
          .filter(each -> each.startsWith(completion.started))
          .sorted()
          .forEach(out::println);
    } catch (CommandFailure e) {
      // A shell shows nothing while a user types.
      out.flush();
    }
    boolean file =
        completion.valueOf.filter(option -> option.paramLabel().equals("FILE")).isPresent();
    out.println(file ? FILES : NO_FILES);
    return 0;
  }

  private void read(String word) {
    if (valueOf.isPresent()) {
      valueOf = Optional.empty();
    } else if (word.startsWith("-")) {
      valueOf =
          Optional.ofNullable(command.findOption(word)).filter(option -> option.arity().min() > 0);
    } else if (command.subcommands().containsKey(word)) {
      command = command.subcommands().get(word).getCommandSpec();
    } else {
      positionals.add(word);
    }
  }

  private Stream<String> candidates() {
    if (valueOf.isPresent()) {
      return values(valueOf.get());
    }
    if (started.startsWith("-")) {
      return command.options().stream()
          .filter(option -> !option.hidden())
          .map(OptionSpec::longestName);
    }
    if (!command.subcommands().isEmpty()) {
      return command.subcommands().keySet().stream();
    }
    return command.positionalParameters().stream()
        .filter(each -> each.index().contains(positionals.size()))
        .findFirst()
        .map(this::values)
        .orElse(Stream.empty());
  }

  /** The values of an option or a parameter, by what its label says that it is. */
  private Stream<String> values(ArgSpec of) {
    String label = of.paramLabel();
    return switch (label) {
      case "FORMAT" -> Stream.of("json", "yaml", "name", "wide");
      case "POOL", "POOL|RACK" ->
          names(client -> client.pools().stream().map(PoolReading::name).toList());
      case "POOL|NODE" ->
          names(client ->
              Stream.concat(
                      client.pools().stream().map(PoolReading::name),
                      client.nodes().stream().map(NodeReading::name))
                  .toList());
      case "NODE" -> names(client -> nodes(client, of));
      case "HOST" -> names(client -> hosts(client, "/metadata/name"));
      case "TYPE" -> names(client -> hosts(client, "/spec/machine/instanceType")).distinct();
      default -> Stream.empty();
    };
  }

  private Stream<String> names(Function<ClusterClient, List<String>> read) {
    try (ClusterClient client = client()) {
      return read.apply(client).stream();
    }
  }

  /** Of the NodePool that was named before, if there is one. */
  private List<String> nodes(ClusterClient client, ArgSpec of) {
    boolean isOfPool = of instanceof PositionalParamSpec parameter && parameter.index().min() > 0;
    return (isOfPool ? client.nodesOf(positionals.getFirst()) : client.nodes())
        .stream().map(NodeReading::name).toList();
  }

  private static List<String> hosts(ClusterClient client, String field) {
    return client.hosts().stream().map(host -> host.at(field).asText("")).toList();
  }

  private ClusterClient client() {
    return new ClusterClient(
        ConnectionOptions.open(
            given(KUBECONFIG).map(Path::of),
            given(CONTEXT),
            CommandEnvironment.of(command),
            config -> Clients.forCommand(config, Clients.LIST_TIME_OUT)));
  }

  /** The value of an option among the words. */
  private Optional<String> given(String option) {
    for (int place = 0; place < words.size(); place++) {
      String word = words.get(place);
      if (word.startsWith(option + "=")) {
        return Optional.of(word.substring(option.length() + 1));
      }
      if (word.equals(option) && place + 1 < words.size()) {
        return Optional.of(words.get(place + 1));
      }
    }
    return Optional.empty();
  }
}

package io.nodepool.cli.demo;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.nodepool.cli.command.ApiRefusal;
import io.nodepool.cli.command.CommandFailure;
import io.nodepool.cli.input.Manifests;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.api.SimulatedFleet;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Runs commands as a user types them, without kubectl: {@code kubectl nodepool} as the plugin in
 * its own process, and a few verbs of kubectl as requests.
 */
final class Shell {
  private static final String PLUGIN = "io.nodepool.plugin.KubectlPlugin";

  /** A text of several lines, a text in single quotation marks, or a word without blanks. */
  private static final Pattern WORD = Pattern.compile("(?s)<<EOF\\n(.*)EOF|'([^']*)'|[^\\s<]+");

  private final KubernetesClient client;
  private final Path kubeconfig;
  private final Consumer<String> out;

  /**
   * A shell for a cluster.
   *
   * @param out receives the lines that commands print
   */
  Shell(KubernetesClient client, Path kubeconfig, Consumer<String> out) {
    this.client = client;
    this.kubeconfig = kubeconfig;
    this.out = out;
  }

  /**
   * Runs a command line.
   *
   * @throws CommandFailure if it fails
   */
  void run(String line) throws InterruptedException {
    List<String> words = words(line);
    if (words.subList(0, 2).equals(List.of("kubectl", "nodepool"))) {
      plugin(words.subList(2, words.size()));
      return;
    }
    try {
      kubectl(words);
    } catch (KubernetesClientException e) {
      throw new CommandFailure("%s: %s".formatted(line, ApiRefusal.inWords(e)), e);
    }
  }

  /** The words of a command line. */
  static List<String> words(String line) {
    return WORD.matcher(line)
        .results()
        .map(word ->
            Stream.of(word.group(1), word.group(2), word.group())
                .filter(Objects::nonNull)
                .findFirst()
                .orElseThrow())
        .toList();
  }

  private void kubectl(List<String> words) {
    switch (words.get(1)) {
      case "apply" -> {
        for (Manifests.Manifest each : manifests(words)) {
          each.apply(client);
          say(each, "applied");
        }
      }
      case "delete" -> {
        for (Manifests.Manifest each : manifests(words)) {
          client.resource(each.object()).delete();
          say(each, "deleted");
        }
      }
      case "annotate" -> {
        String[] annotation = words.get(4).split("=", 2);
        patch(
            words,
            PatchType.JSON_MERGE,
            "{\"metadata\": {\"annotations\": {\"%s\": \"%s\"}}}"
                .formatted(annotation[0], annotation[1]));
        out.accept("%s/%s annotated".formatted(words.get(2), words.get(3)));
      }
      case "patch" -> {
        patch(
            words,
            words.get(5).equals("json") ? PatchType.JSON : PatchType.JSON_MERGE,
            words.get(7));
        out.accept("%s/%s patched".formatted(words.get(2), words.get(3)));
      }
      default -> throw new IllegalArgumentException("no verb of demos: " + words);
    }
  }

  /** A path is relative to the directory of the program, where a user would type it. */
  private static List<Manifests.Manifest> manifests(List<String> words) {
    String file = words.get(words.indexOf("-f") + 1);
    return file.equals("-")
        ? Manifests.parse(file, words.getLast())
        : Manifests.read(Path.of(System.getProperty("nodepool.home", ""), file));
  }

  private void say(Manifests.Manifest object, String what) {
    out.accept(
        "%s/%s %s"
            .formatted(object.object().getKind().toLowerCase(Locale.ROOT), object.name(), what));
  }

  private void patch(List<String> words, PatchType type, String patch) {
    Class<? extends HasMetadata> kind =
        switch (words.get(2)) {
          case "host" -> HostResource.class;
          case "nodepool" -> NodePool.class;
          case "simulatedfleet" -> SimulatedFleet.class;
          default -> throw new IllegalArgumentException("no kind of demos: " + words);
        };
    client.resources(kind).withName(words.get(3)).patch(PatchContext.of(type), patch);
  }

  private void plugin(List<String> words) throws InterruptedException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Dslf4j.provider=io.nodepool.plugin.WarningLog",
                "-Dslf4j.internal.verbosity=ERROR",
                "-cp",
                System.getProperty("java.class.path"),
                PLUGIN));
    command.addAll(words);
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("KUBECONFIG", kubeconfig.toString());
    try {
      Process process = builder.start();
      // A read cannot be interrupted; the wait for the end can.
      Thread reader = Thread.ofVirtual().start(() -> process.inputReader().lines().forEach(out));
      try {
        if (process.waitFor() != 0) {
          throw new CommandFailure("kubectl nodepool %s failed".formatted(String.join(" ", words)));
        }
      } finally {
        process.destroy();
        reader.join();
      }
    } catch (IOException e) {
      throw new CommandFailure("kubectl nodepool cannot be run: " + e, e);
    }
  }
}

package io.nodepool.cli.input;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.client.Config;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.nodepool.cli.command.ApiRefusal;
import io.nodepool.cli.command.CommandEnvironment;
import io.nodepool.cli.command.CommandFailure;
import io.nodepool.kubernetes.client.Clients;
import io.nodepool.kubernetes.client.RequestMeter;
import io.nodepool.local.programs.Executables;
import io.nodepool.local.programs.ServerUrl;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The kubeconfig files of a command. They are validated here without a request to the cluster,
 * since the client uses another context or cluster where one is missing.
 *
 * @param origin the option or variable that named the files, for messages
 * @param files the existing files; later ones add to earlier ones
 * @param environment the variables, for programs that the files name
 */
record KubeconfigFiles(String origin, List<Path> files, Map<String, String> environment) {
  private static final String OPTION = "--kubeconfig";

  /**
   * Finds the files that a command must use.
   *
   * @param named the file of the option, which excludes all others
   * @return empty if no file is named and the default does not exist
   * @throws CommandFailure if none of the named files exists
   */
  static Optional<KubeconfigFiles> find(Optional<Path> named, CommandEnvironment surroundings) {
    Map<String, String> environment = surroundings.environment();
    if (named.isPresent()) {
      return Optional.of(new KubeconfigFiles(OPTION, List.of(named.get()), environment));
    }
    String variable = environment.getOrDefault("KUBECONFIG", "");
    if (!variable.isBlank()) {
      // Like kubectl, ignores files of the list that do not exist.
      List<Path> there =
          Stream.of(variable.split(File.pathSeparator))
              .filter(entry -> !entry.isBlank())
              .map(Path::of)
              .filter(Files::exists)
              .toList();
      if (there.isEmpty()) {
        throw CommandFailure.wrongInput(
            "KUBECONFIG names no existing file: %s; correct it, or set --kubeconfig FILE."
                .formatted(variable));
      }
      return Optional.of(new KubeconfigFiles("KUBECONFIG", there, environment));
    }
    Path home =
        Optional.ofNullable(environment.get("HOME")).map(Path::of).orElse(surroundings.home());
    Path usual = home.resolve(".kube").resolve("config");
    return Optional.of(new KubeconfigFiles("the user's kubeconfig", List.of(usual), environment))
        .filter(_ -> Files.exists(usual));
  }

  /**
   * The client configuration of a context.
   *
   * @param context the name of the context; empty for the current one
   * @throws CommandFailure if the files do not define it completely
   */
  Config config(Optional<String> context) {
    return open(
        context,
        config -> {
          // Creates the client only to read its keys and certificates.
          Clients.forRequests(config, new RequestMeter(new SimpleMeterRegistry())).close();
          return config;
        });
  }

  /**
   * A client of the cluster and the user of a context.
   *
   * @param client creates it, which reads the keys and certificates
   * @throws CommandFailure if the files do not define them completely
   */
  <T> T open(Optional<String> context, Function<Config, T> client) {
    check(context);
    try {
      Config config =
          origin.equals(OPTION)
              ? Config.fromKubeconfig(context.orElse(null), files.getFirst().toFile())
              : Config.autoConfigure(context.orElse(null));
      return client.apply(config);
    } catch (RuntimeException e) {
      throw wrong("the credentials cannot be used: " + ApiRefusal.rootMessage(e), e);
    }
  }

  private void check(Optional<String> named) {
    List<JsonNode> documents = documents();
    SequencedMap<String, JsonNode> contexts = entries(documents, "contexts", "context");
    String known = contexts.isEmpty() ? "none" : String.join(", ", contexts.keySet());
    String context =
        named
            .or(() -> current(documents))
            .orElseThrow(
                () -> wrong("current-context is not set; set --context to one of: " + known));
    JsonNode found = contexts.get(context);
    if (found == null) {
      throw wrong("context \"%s\" does not exist; existing contexts: %s".formatted(context, known));
    }
    String cluster = found.path("cluster").asText("");
    JsonNode description = entries(documents, "clusters", "cluster").get(cluster);
    if (description == null) {
      throw wrong("context %s: cluster \"%s\" does not exist".formatted(context, cluster));
    }
    String server = description.path("server").asText("");
    // Like kubectl, accepts an address without a scheme.
    if (ServerUrl.parse(server, "https").isEmpty()) {
      throw wrong(
          "cluster %s: \"%s\" is not a valid server; example: https://10.0.0.1:6443"
              .formatted(cluster, server));
    }
    checkFiles(context, description, List.of("certificate-authority"));
    String user = found.path("user").asText("");
    if (!user.isEmpty()) {
      JsonNode credentials = entries(documents, "users", "user").get(user);
      if (credentials == null) {
        throw wrong("context %s: user \"%s\" does not exist".formatted(context, user));
      }
      checkFiles(context, credentials, List.of("client-certificate", "client-key", "tokenFile"));
      String command = credentials.path("exec").path("command").asText("");
      if (!command.isEmpty() && !isProgram(command)) {
        throw wrong("context %s: exec: program %s does not exist".formatted(context, command));
      }
    }
  }

  /** Resolves a name on the PATH, and a path against the directory of the kubeconfig. */
  private boolean isProgram(String command) {
    return command.contains("/")
        ? files.stream()
            .map(file -> file.toAbsolutePath().resolveSibling(command))
            .anyMatch(Files::isExecutable)
        : Executables.onPath(environment, command).isPresent();
  }

  /** Checks that the files that a cluster or a user refers to exist. */
  private void checkFiles(String context, JsonNode described, List<String> fields) {
    for (String field : fields) {
      String path = described.path(field).asText("");
      boolean there =
          files.stream()
              .map(file -> file.toAbsolutePath().resolveSibling(path))
              .anyMatch(Files::isRegularFile);
      if (!path.isEmpty() && !there) {
        throw wrong("context %s: %s: file %s does not exist".formatted(context, field, path));
      }
    }
  }

  private List<JsonNode> documents() {
    List<JsonNode> all = new ArrayList<>();
    for (Path file : files) {
      List<JsonNode> documents =
          new ArrayList<>(Manifests.documents(file.toString(), InputFile.text(file)));
      documents.removeIf(document -> document.isNull() || document.isMissingNode());
      if (documents.size() != 1 || !documents.getFirst().isObject()) {
        throw wrong("%s is not a kubeconfig".formatted(file));
      }
      all.add(documents.getFirst());
    }
    return all;
  }

  private static Optional<String> current(List<JsonNode> documents) {
    return documents.stream()
        .map(document -> document.path("current-context").asText(""))
        .filter(name -> !name.isEmpty())
        .findFirst();
  }

  /** The entries of a list in all files by their names; for each name the first one counts. */
  private static SequencedMap<String, JsonNode> entries(
      List<JsonNode> documents, String list, String field) {
    SequencedMap<String, JsonNode> known = new LinkedHashMap<>();
    for (JsonNode document : documents) {
      document
          .path(list)
          .forEach(each -> known.putIfAbsent(each.path("name").asText(""), each.path(field)));
    }
    return known;
  }

  private CommandFailure wrong(String what) {
    return CommandFailure.wrongInput(text(what));
  }

  private CommandFailure wrong(String what, Throwable cause) {
    return CommandFailure.wrongInput(text(what), cause);
  }

  private String text(String what) {
    return "%s (%s): %s."
        .formatted(
            origin,
            String.join(File.pathSeparator, files.stream().map(Path::toString).toList()),
            what);
  }
}

package io.nodepool.cli.input;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.AuthInfo;
import io.fabric8.kubernetes.api.model.AuthProviderConfig;
import io.fabric8.kubernetes.api.model.Cluster;
import io.fabric8.kubernetes.api.model.Context;
import io.fabric8.kubernetes.api.model.ExecConfig;
import io.fabric8.kubernetes.api.model.NamedAuthInfo;
import io.fabric8.kubernetes.api.model.NamedCluster;
import io.fabric8.kubernetes.api.model.NamedContext;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.internal.KubeConfigUtils;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
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
import org.jspecify.annotations.Nullable;

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

  /** A context, cluster or user, and its file. Paths in it are relative to that file. */
  private record Part(JsonNode json, File file) {
    @Nullable String text(String field) {
      return json.hasNonNull(field) ? json.path(field).asText() : null;
    }

    <T> @Nullable T object(String field, Class<T> type) {
      return json.hasNonNull(field)
          ? new KubernetesSerialization(new ObjectMapper(), false)
              .convertValue(json.path(field), type)
          : null;
    }
  }

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
    io.fabric8.kubernetes.api.model.Config parts = checked(context);
    try {
      Config config = Config.empty();
      KubeConfigUtils.merge(config, null, parts);
      Config.configFromSysPropsOrEnvVars(config);
      return client.apply(config);
    } catch (RuntimeException e) {
      throw wrong("the credentials cannot be used: " + ApiRefusal.rootMessage(e), e);
    }
  }

  /**
   * The parts of a context, for the client library. The library's own reader loads the classes of
   * all kinds of objects, which takes as long as the rest of a command.
   */
  private io.fabric8.kubernetes.api.model.Config checked(Optional<String> named) {
    List<JsonNode> documents = documents();
    SequencedMap<String, Part> contexts = entries(documents, "contexts", "context");
    String known = contexts.isEmpty() ? "none" : String.join(", ", contexts.keySet());
    String context =
        named
            .or(() -> current(documents))
            .orElseThrow(
                () -> wrong("current-context is not set; set --context to one of: " + known));
    Part of = contexts.get(context);
    if (of == null) {
      throw wrong("context \"%s\" does not exist; existing contexts: %s".formatted(context, known));
    }
    String cluster = of.json().path("cluster").asText("");
    Part ofCluster = entries(documents, "clusters", "cluster").get(cluster);
    if (ofCluster == null) {
      throw wrong("context %s: cluster \"%s\" does not exist".formatted(context, cluster));
    }
    JsonNode description = ofCluster.json();
    String server = description.path("server").asText("");
    // Like kubectl, accepts an address without a scheme.
    if (ServerUrl.parse(server, "https").isEmpty()) {
      throw wrong(
          "cluster %s: \"%s\" is not a valid server; example: https://10.0.0.1:6443"
              .formatted(cluster, server));
    }
    checkFiles(context, description, List.of("certificate-authority"));
    io.fabric8.kubernetes.api.model.Config parts = new io.fabric8.kubernetes.api.model.Config();
    parts.setCurrentContext(context);
    parts.setContexts(List.of(context(context, of)));
    parts.setClusters(List.of(cluster(cluster, ofCluster)));
    String user = of.json().path("user").asText("");
    if (!user.isEmpty()) {
      Part ofUser = entries(documents, "users", "user").get(user);
      if (ofUser == null) {
        throw wrong("context %s: user \"%s\" does not exist".formatted(context, user));
      }
      JsonNode credentials = ofUser.json();
      checkFiles(context, credentials, List.of("client-certificate", "client-key", "tokenFile"));
      String command = credentials.path("exec").path("command").asText("");
      if (!command.isEmpty() && !isProgram(command)) {
        throw wrong("context %s: exec: program %s does not exist".formatted(context, command));
      }
      parts.setUsers(List.of(user(user, ofUser)));
    }
    return parts;
  }

  private static NamedContext context(String name, Part part) {
    Context context = new Context();
    context.setCluster(part.text("cluster"));
    context.setUser(part.text("user"));
    context.setNamespace(part.text("namespace"));
    NamedContext named = new NamedContext(context, name);
    named.setAdditionalProperty("KUBERNETES_CONFIG_CONTEXT_FILE_KEY", part.file());
    return named;
  }

  private static NamedCluster cluster(String name, Part part) {
    Cluster cluster = new Cluster();
    cluster.setServer(part.text("server"));
    cluster.setInsecureSkipTlsVerify(part.json().path("insecure-skip-tls-verify").asBoolean());
    cluster.setCertificateAuthority(part.text("certificate-authority"));
    cluster.setCertificateAuthorityData(part.text("certificate-authority-data"));
    cluster.setTlsServerName(part.text("tls-server-name"));
    cluster.setProxyUrl(part.text("proxy-url"));
    NamedCluster named = new NamedCluster(cluster, name);
    named.setAdditionalProperty("KUBERNETES_CONFIG_CLUSTER_FILE_KEY", part.file());
    return named;
  }

  private static NamedAuthInfo user(String name, Part part) {
    AuthInfo user = new AuthInfo();
    user.setClientCertificate(part.text("client-certificate"));
    user.setClientCertificateData(part.text("client-certificate-data"));
    user.setClientKey(part.text("client-key"));
    user.setClientKeyData(part.text("client-key-data"));
    user.setToken(part.text("token"));
    user.setUsername(part.text("username"));
    user.setPassword(part.text("password"));
    user.setExec(part.object("exec", ExecConfig.class));
    user.setAuthProvider(part.object("auth-provider", AuthProviderConfig.class));
    NamedAuthInfo named = new NamedAuthInfo(name, user);
    named.setAdditionalProperty("KUBERNETES_CONFIG_AUTH_INFO_FILE_KEY", part.file());
    return named;
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

  /** The entries of a list in all files, by name; the first entry of a name counts. */
  private SequencedMap<String, Part> entries(List<JsonNode> documents, String list, String field) {
    SequencedMap<String, Part> known = new LinkedHashMap<>();
    for (int i = 0; i < documents.size(); i++) {
      File file = files.get(i).toFile();
      for (JsonNode each : documents.get(i).path(list)) {
        known.putIfAbsent(each.path("name").asText(""), new Part(each.path(field), file));
      }
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

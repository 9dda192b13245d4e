package io.nodepool.deploy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** What the service accounts of a namespace asked an API server for, as that itself notes it. */
final class AuditLog {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Path policy;
  private final Path log;

  /** A log below a folder. */
  AuditLog(Path folder, String namespace) {
    policy = folder.resolve("audit-policy.yaml");
    log = folder.resolve("audit.log");
    try {
      Files.writeString(
          policy,
          """
          apiVersion: audit.k8s.io/v1
          kind: Policy
          omitStages: [RequestReceived]
          rules:
            - level: Metadata
              userGroups: ["system:serviceaccounts:%s"]
            - level: None
          """
              .formatted(namespace));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The flags that make an API server keep it. */
  List<String> flags() {
    return List.of(
        "--audit-policy-file=" + policy,
        "--audit-log-path=" + log,
        "--audit-log-mode=blocking",
        "--audit-log-maxsize=1000");
  }

  /**
   * The requests that were answered with 403, in a line each.
   *
   * @throws UncheckedIOException if nothing was noted yet
   */
  List<String> forbidden() {
    return entries().stream()
        .filter(entry -> entry.at("/responseStatus/code").asInt() == 403)
        .map(entry -> entry.at("/user/username").asText() + ": " + right(entry))
        .distinct()
        .toList();
  }

  /** What a user asked for, as {@code verb group/resource/subresource}. */
  Set<String> asked(String user) {
    Set<String> rights = new TreeSet<>();
    entries().stream()
        .filter(entry -> entry.at("/user/username").asText().equals(user))
        .filter(entry -> entry.has("objectRef"))
        .map(AuditLog::right)
        .forEach(rights::add);
    return rights;
  }

  private static String right(JsonNode entry) {
    JsonNode object = entry.path("objectRef");
    String subresource = object.path("subresource").asText();
    return "%s %s/%s%s"
        .formatted(
            entry.path("verb").asText(),
            object.path("apiGroup").asText(),
            object.path("resource").asText(),
            subresource.isEmpty() ? "" : "/" + subresource);
  }

  private List<JsonNode> entries() {
    try (var entries = JSON.readerFor(JsonNode.class).<JsonNode>readValues(log.toFile())) {
      return entries.readAll();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

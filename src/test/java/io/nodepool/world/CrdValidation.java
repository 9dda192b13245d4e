package io.nodepool.world;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import io.nodepool.kubernetes.convert.AppliedMetadata;
import io.nodepool.kubernetes.convert.CommandAnnotations;
import io.nodepool.kubernetes.convert.DisruptionRecord;
import io.nodepool.kubernetes.convert.PoolConversion;
import io.nodepool.kubernetes.fleet.SentOperations;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.ConfigurationCommands;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.plan.EventDraft;
import io.nodepool.simulated.FleetAction;
import io.nodepool.simulated.cluster.SentReports;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import io.nodepool.vocabulary.metadata.PoolAnnotations;
import io.nodepool.world.cluster.ObjectValidation;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The API server's checks with the schemas of the generated definitions, of what the operator's own
 * conversions write.
 */
class CrdValidation implements ObjectValidation {
  static final CrdValidation ALL = new CrdValidation();

  /** The size of all annotations of an object together. */
  static final int LARGEST_ANNOTATIONS = 256 * 1024;

  /** The size of an Event's message in events.k8s.io; the older form has no limit of its own. */
  static final int LARGEST_EVENT = 1024;

  private static final int LONGEST_LABEL_VALUE = 63;

  private static final Pattern LABEL_VALUE =
      Pattern.compile("(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?");

  private static final ObjectMapper JSON = new ObjectMapper();

  private final JsonNode hosts = schema("hosts.fleet.nodepool.io");
  private final JsonNode pools = schema("nodepools.compute.coreweave.com");

  CrdValidation() {}

  private static JsonNode schema(String name) {
    String file = "/crds/" + name + ".yaml";
    try (InputStream crd = Objects.requireNonNull(CrdValidation.class.getResourceAsStream(file))) {
      return new YAMLMapper()
          .readTree(crd)
          .at("/spec/versions/0/schema/openAPIV3Schema/properties");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public Optional<String> patch(Host before, HostOperation operation, Host next) {
    JsonNode object = HostObject.of(before);
    Optional<String> refused =
        ServerPatch.apply(object, HostObject.read(SentOperations.patch(operation)));
    if (refused.isEmpty() && !object.equals(HostObject.of(next))) {
      throw new IllegalStateException(
          "%s makes %s instead of %s".formatted(operation, object, HostObject.of(next)));
    }
    return refused;
  }

  @Override
  public Optional<String> patch(Host before, FleetAction.ReportHost report) {
    JsonNode patch = HostObject.read(SentReports.patch(report));
    ServerPatch.apply(HostObject.of(report.seen()), patch)
        .ifPresent(why -> {
          throw new IllegalStateException("even as it was seen, of " + report.seen() + ": " + why);
        });
    return ServerPatch.apply(HostObject.of(before), patch);
  }

  @Override
  public Optional<String> host(Host before, Host next) {
    JsonNode last = HostObject.of(before);
    JsonNode object = HostObject.of(next);
    return Stream.of("spec", "status")
        .filter(part -> !object.path(part).equals(last.path(part)))
        .flatMap(
            part -> CrdSchemaCheck.violation(part, hosts.path(part), object.path(part)).stream())
        .findFirst();
  }

  @Override
  public Optional<String> status(PoolStatus next) {
    return CrdSchemaCheck.violation(
        "status", pools.path("status"), tree(PoolConversion.status(next)));
  }

  private static JsonNode tree(Object value) {
    return JSON.valueToTree(value);
  }

  @Override
  public Optional<String> node(Node next) {
    SortedMap<String, String> all = new TreeMap<>(next.metadata().annotations());
    next.disruption()
        .ifPresent(each -> all.put(NodeAnnotations.REMOVAL.key(), DisruptionRecord.write(each)));
    next.metadata()
        .applied()
        .ifPresent(
            each -> all.put(NodeAnnotations.APPLIED_METADATA.key(), AppliedMetadata.write(each)));
    Optional<String> tooLong = tooLong(all);
    if (tooLong.isPresent()) {
      return tooLong;
    }
    return next.metadata().labels().entrySet().stream()
        .filter(label -> !isLabelValue(label.getValue()))
        .map(label -> "metadata.labels: Invalid value: " + label)
        .findFirst();
  }

  private static boolean isLabelValue(String value) {
    return value.length() <= LONGEST_LABEL_VALUE && LABEL_VALUE.matcher(value).matches();
  }

  @Override
  public Optional<String> pool(Pool next) {
    ConfigurationCommands commands = next.spec().configuration().commands();
    SortedMap<String, String> all = new TreeMap<>();
    commands.asked().promote().ifPresent(text -> all.put(PoolAnnotations.PROMOTE.key(), text));
    commands.asked().rollback().ifPresent(text -> all.put(PoolAnnotations.ROLLBACK.key(), text));
    commands.asked().rollout().ifPresent(text -> all.put(PoolAnnotations.ROLLOUT.key(), text));
    commands
        .accepted()
        .ifPresent(each ->
            all.put(
                PoolAnnotations.ACCEPTED_COMMAND.key(),
                CommandAnnotations.write(each, next.id().uid())));
    return tooLong(all);
  }

  private static Optional<String> tooLong(SortedMap<String, String> annotations) {
    long size =
        annotations.entrySet().stream()
            .mapToLong(entry -> bytes(entry.getKey()) + bytes(entry.getValue()))
            .sum();
    return size <= LARGEST_ANNOTATIONS
        ? Optional.empty()
        : Optional.of(
            "metadata.annotations: Too long: %d, may not be more than %d bytes"
                .formatted(size, LARGEST_ANNOTATIONS));
  }

  @Override
  public Optional<String> event(EventDraft eventDraft) {
    return bytes(eventDraft.message()) <= LARGEST_EVENT
        ? Optional.empty()
        : Optional.of("message: can have at most %d characters".formatted(LARGEST_EVENT));
  }

  private static long bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }
}

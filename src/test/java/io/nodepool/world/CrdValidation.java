package io.nodepool.world;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.nodepool.fleet.Host;
import io.nodepool.kubernetes.convert.AppliedMetadata;
import io.nodepool.kubernetes.convert.DisruptionRecord;
import io.nodepool.kubernetes.convert.HostConversion;
import io.nodepool.kubernetes.convert.PoolConversion;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import io.nodepool.world.cluster.ObjectValidation;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The API server's checks with the schemas of the generated definitions, of what the operator's own
 * conversions write.
 */
final class CrdValidation implements ObjectValidation {
  static final CrdValidation ALL = new CrdValidation();

  /** The size of all annotations of an object together. */
  static final int LARGEST_ANNOTATIONS = 256 * 1024;

  private static final int LONGEST_LABEL_VALUE = 63;

  private static final Pattern LABEL_VALUE =
      Pattern.compile("(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?");

  private static final ObjectMapper JSON = new ObjectMapper();

  private final JsonNode hosts = schema("hosts.fleet.nodepool.io");
  private final JsonNode pools = schema("nodepools.compute.coreweave.com");

  private CrdValidation() {}

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
  public Optional<String> host(Host before, Host next) {
    return Stream.of(
            spec("assignment", before.assignment(), next.assignment(), HostConversion::assignment),
            spec("boot", before.boot(), next.boot(), HostConversion::boot),
            spec(
                "deliveryFailures",
                before.deliveries().failure(),
                next.deliveries().failure(),
                HostConversion::failures),
            spec("setAside", before.deliveries().setAside(), next.deliveries().setAside()),
            spec("configuration", before.configuration(), next.configuration()),
            spec("tenancy", before.tenancy(), next.tenancy()),
            next.report().equals(before.report())
                ? Optional.<String>empty()
                : CrdSchemaCheck.violation(
                    "status", hosts.path("status"), tree(HostConversion.status(next.report()))))
        .flatMap(Optional::stream)
        .findFirst();
  }

  /** The violation of a field that changes; what stays was checked before. */
  private <V> Optional<String> spec(
      String field, Optional<V> before, Optional<V> next, Function<V, Object> written) {
    return next.filter(_ -> !next.equals(before))
        .flatMap(value ->
            CrdSchemaCheck.violation(
                "spec." + field,
                hosts.at("/spec/properties").path(field),
                tree(written.apply(value))));
  }

  private <V> Optional<String> spec(String field, V before, V next) {
    return spec(field, Optional.of(before), Optional.of(next), value -> value);
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
    long size =
        size(next.metadata().annotations())
            + next.disruption()
                .map(each -> size(NodeAnnotations.REMOVAL.key(), DisruptionRecord.write(each)))
                .orElse(0L)
            + next.metadata()
                .applied()
                .map(each ->
                    size(NodeAnnotations.APPLIED_METADATA.key(), AppliedMetadata.write(each)))
                .orElse(0L);
    if (size > LARGEST_ANNOTATIONS) {
      return Optional.of(
          "metadata.annotations: Too long: %d, may not be more than %d bytes"
              .formatted(size, LARGEST_ANNOTATIONS));
    }
    return next.metadata().labels().entrySet().stream()
        .filter(label -> !isLabelValue(label.getValue()))
        .map(label -> "metadata.labels: Invalid value: " + label)
        .findFirst();
  }

  private static boolean isLabelValue(String value) {
    return value.length() <= LONGEST_LABEL_VALUE && LABEL_VALUE.matcher(value).matches();
  }

  private static long size(Map<String, String> annotations) {
    return annotations.entrySet().stream()
        .mapToLong(entry -> size(entry.getKey(), entry.getValue()))
        .sum();
  }

  private static long size(String key, String value) {
    return (long) key.length() + value.getBytes(java.nio.charset.StandardCharsets.UTF_8).length;
  }
}

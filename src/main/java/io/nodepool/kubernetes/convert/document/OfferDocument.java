package io.nodepool.kubernetes.convert.document;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.configuration.FleetRelease;
import io.nodepool.fleet.configuration.NodeConfiguration;
import io.nodepool.kubernetes.convert.UnreadableObjectException;
import io.nodepool.vocabulary.BootKind;
import io.nodepool.vocabulary.UserText;
import io.nodepool.vocabulary.Word;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The fleet's offer as JSON in a ConfigMap: {@code zone}, {@code region} (default: the zone),
 * {@code organization}, {@code instanceTypes}, {@code quota} (Nodes by type), {@code
 * configurations} ({@code profile} and {@code summary}, oldest first), {@code releases} (see {@link
 * ReleaseDocument}; newer than all configurations) and {@code capabilities} ({@code boots}, the
 * kinds of boot on request, {@code verifies} and {@code repairsComponents}).
 */
public final class OfferDocument {
  /** The operator's namespace, unless it is installed in another one. */
  public static final String NAMESPACE = "nodepool-system";

  /** Name of the ConfigMap, which is in the operator's namespace. */
  public static final String NAME = "fleet-offer";

  /** The key of its data that holds the document. */
  public static final String KEY = "offer.json";

  /** The greatest length of the name of a release, as the status of a pool holds it. */
  private static final int LONGEST_NAME = 253;

  /** The greatest number of texts that summarize a configuration. */
  private static final int MOST_SUMMARIES = 32;

  private static final ObjectMapper JSON = new ObjectMapper();

  private OfferDocument() {}

  /**
   * The offer that a ConfigMap holds.
   *
   * @throws UnreadableObjectException if the offer cannot be read; the message names the mistake
   */
  public static FleetOffer read(ConfigMap map) {
    String text = map.getData() == null ? null : map.getData().get(KEY);
    if (text == null) {
      throw new UnreadableObjectException(
          "ConfigMap %s has no key %s.".formatted(map.getMetadata().getName(), KEY));
    }
    return read(text);
  }

  /**
   * The offer that a document describes. Unknown fields are ignored.
   *
   * @throws UnreadableObjectException if the offer cannot be read; the message names the mistake
   */
  public static FleetOffer read(String text) {
    JsonNode root;
    try {
      root = JSON.readTree(text);
    } catch (JsonProcessingException e) {
      throw new UnreadableObjectException(KEY + " is no JSON: " + e.getOriginalMessage());
    }
    if (!root.isObject()) {
      throw new UnreadableObjectException(KEY + " is no JSON object.");
    }
    String zone = text(root, "zone");
    return new FleetOffer(
        zone,
        root.hasNonNull("region") ? text(root, "region") : zone,
        root.hasNonNull("organization") ? text(root, "organization") : "",
        new TreeSet<>(texts(root, "instanceTypes")),
        new TreeSet<>(root.hasNonNull("unqueued") ? texts(root, "unqueued") : List.of()),
        quota(root.path("quota")),
        releases(configurations(root.path("configurations")), root.path("releases")),
        capabilities(root.path("capabilities")));
  }

  /** Unknown kinds of boot are ignored, since the fleet may be newer than this operator. */
  private static FleetOffer.Capabilities capabilities(JsonNode node) {
    if (isAbsent(node)) {
      return FleetOffer.Capabilities.NONE;
    }
    if (!node.isObject()) {
      throw wrong("capabilities", "is no object");
    }
    TreeSet<BootKind> boots = new TreeSet<>();
    if (node.hasNonNull("boots")) {
      texts(node, "boots").forEach(word -> Word.of(BootKind.class, word).ifPresent(boots::add));
    }
    return new FleetOffer.Capabilities(
        boots, flag(node, "verifies"), flag(node, "repairsComponents"));
  }

  private static boolean flag(JsonNode node, String name) {
    JsonNode flag = node.path(name);
    if (!isAbsent(flag) && !flag.isBoolean()) {
      throw new UnreadableObjectException(
          "%s in %s is neither true nor false: %s".formatted(name, KEY, flag));
    }
    return flag.asBoolean();
  }

  private static SortedMap<String, Integer> quota(JsonNode node) {
    TreeMap<String, Integer> quota = new TreeMap<>();
    if (isAbsent(node)) {
      return quota;
    }
    if (!node.isObject()) {
      throw wrong("quota", "is no object");
    }
    for (Map.Entry<String, JsonNode> entry : node.properties()) {
      if (!entry.getValue().canConvertToInt()
          || !entry.getValue().isIntegralNumber()
          || entry.getValue().intValue() < 0) {
        throw new UnreadableObjectException(
            "quota of %s in %s is no number of Nodes: %s"
                .formatted(entry.getKey(), KEY, entry.getValue()));
      }
      quota.put(entry.getKey(), entry.getValue().intValue());
    }
    return quota;
  }

  private static List<FleetRelease> configurations(JsonNode node) {
    if (isAbsent(node)) {
      return List.of();
    }
    if (!node.isArray()) {
      throw wrong("configurations", "is no list");
    }
    List<FleetRelease> configurations = new ArrayList<>();
    for (JsonNode element : node) {
      configurations.add(
          FleetRelease.whole(
              text(element, "profile"),
              element.hasNonNull("summary") ? summary(texts(element, "summary")) : List.of()));
    }
    return configurations;
  }

  /** A summary, shortened to the length that the status of a pool allows. */
  private static List<String> summary(List<String> texts) {
    return texts.stream().limit(MOST_SUMMARIES).map(UserText::explanation).toList();
  }

  private static List<FleetRelease> releases(List<FleetRelease> configurations, JsonNode node) {
    List<FleetRelease> all = new ArrayList<>(configurations);
    all.addAll(ReleaseDocument.read(node));
    Set<String> names = new HashSet<>();
    for (FleetRelease release : all) {
      if (release.name().length() > LONGEST_NAME) {
        throw new UnreadableObjectException(
            "%s has a release or configuration whose name has %d characters, %s; at most %d are allowed."
                .formatted(
                    KEY, release.name().length(), UserText.quoted(release.name()), LONGEST_NAME));
      }
      if (!names.add(release.name())) {
        throw new UnreadableObjectException(
            "%s has two releases or configurations named %s.".formatted(KEY, release.name()));
      }
    }
    return all;
  }

  /** Whether a field is missing, or null. */
  static boolean isAbsent(JsonNode node) {
    return node.isMissingNode() || node.isNull();
  }

  /** The mistake in a part of the document. */
  static UnreadableObjectException wrong(String what, String why) {
    return new UnreadableObjectException("%s in %s %s.".formatted(what, KEY, why));
  }

  private static String text(JsonNode node, String field) {
    JsonNode value = node.path(field);
    if (!value.isTextual() || value.textValue().isEmpty()) {
      throw wrong(field, value.isMissingNode() ? "is missing" : "is no text: " + value);
    }
    return value.textValue();
  }

  private static List<String> texts(JsonNode node, String field) {
    JsonNode value = node.path(field);
    if (!value.isArray()) {
      throw wrong(field, value.isMissingNode() ? "is missing" : "is no list: " + value);
    }
    List<String> texts = new ArrayList<>();
    for (JsonNode element : value) {
      if (!element.isTextual()) {
        throw new UnreadableObjectException(
            "%s in %s holds what is no text: %s".formatted(field, KEY, element));
      }
      texts.add(element.textValue());
    }
    return texts;
  }

  /** The document that describes an offer; the same offer always gives the same text. */
  public static String write(FleetOffer offer) {
    ObjectNode root = JSON.createObjectNode();
    root.put("zone", offer.zone());
    if (!offer.region().isEmpty()) {
      root.put("region", offer.region());
    }
    if (!offer.organization().isEmpty()) {
      root.put("organization", offer.organization());
    }
    root.set("instanceTypes", JSON.valueToTree(offer.instanceTypes()));
    root.set("unqueued", JSON.valueToTree(offer.unqueued()));
    root.set("quota", JSON.valueToTree(offer.quota()));
    ArrayNode configurations = root.putArray("configurations");
    for (FleetRelease release : offer.releases()) {
      if (release instanceof FleetRelease.Whole(NodeConfiguration configuration)) {
        configurations.add(JSON.<JsonNode>valueToTree(configuration));
      }
    }
    List<FleetRelease.Parts> releases =
        offer.releases().stream()
            .flatMap(release ->
                release instanceof FleetRelease.Parts parts ? Stream.of(parts) : Stream.empty())
            .toList();
    if (!releases.isEmpty()) {
      ReleaseDocument.write(releases, root.putArray("releases"));
    }
    if (!offer.capabilities().equals(FleetOffer.Capabilities.NONE)) {
      ObjectNode capabilities = root.putObject("capabilities");
      ArrayNode boots = capabilities.putArray("boots");
      offer.capabilities().boots().forEach(kind -> boots.add(kind.word()));
      capabilities.put("verifies", offer.capabilities().verifies());
      if (offer.capabilities().repairsComponents()) {
        capabilities.put("repairsComponents", true);
      }
    }
    return root.toPrettyString();
  }
}

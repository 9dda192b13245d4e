package io.nodepool.kubernetes.convert.document;

import static io.nodepool.kubernetes.convert.document.OfferDocument.wrong;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nodepool.fleet.configuration.ConfigurationContents;
import io.nodepool.fleet.configuration.FleetRelease;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The releases in a fleet's offer as JSON, oldest first: {@code name}, {@code images} ({@code
 * name}, {@code train} and {@code kernels}, and for the fleet alone {@code image}, {@code checksum}
 * and {@code template}), {@code gpuDrivers} and {@code kubernetesVersion}.
 */
final class ReleaseDocument {
  private static final ObjectMapper JSON = new ObjectMapper();

  private ReleaseDocument() {}

  /**
   * The releases that a list describes. Unknown fields are ignored.
   *
   * @throws io.nodepool.kubernetes.convert.UnreadableObjectException if a release cannot be read;
   *     the message names the mistake
   */
  static List<FleetRelease> read(JsonNode list) {
    List<FleetRelease> releases = new ArrayList<>();
    for (JsonNode element : elements("releases", list)) {
      releases.add(release(element));
    }
    return releases;
  }

  private static FleetRelease release(JsonNode node) {
    String name = text("name of a release", node.path("name"));
    String where = "of release " + name;
    List<FleetRelease.Image> images = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (JsonNode element : elements("images " + where, node.path("images"))) {
      FleetRelease.Image image = image(element, where);
      if (!names.add(image.name())) {
        throw wrong("images " + where, "has two named " + image.name());
      }
      images.add(image);
    }
    if (images.isEmpty()) {
      throw wrong("images " + where, "is empty; there must be at least one");
    }
    return new FleetRelease.Parts(
        name,
        images,
        parts("gpuDrivers " + where, node.path("gpuDrivers")),
        part("kubernetesVersion " + where, node.path("kubernetesVersion")));
  }

  private static FleetRelease.Image image(JsonNode node, String where) {
    String name = part("name of an image " + where, node.path("name"));
    String ofImage = "of image %s %s".formatted(name, where);
    String train = text("train " + ofImage, node.path("train"));
    if (!FleetRelease.isTrain(train)) {
      throw wrong("train " + ofImage, "is %s; it must be stable or latest".formatted(train));
    }
    List<String> kernels = parts("kernels " + ofImage, node.path("kernels"));
    if (kernels.isEmpty()) {
      throw wrong("kernels " + ofImage, "is empty; there must be at least one");
    }
    return new FleetRelease.Image(
        name,
        train,
        kernels,
        new FleetRelease.Image.Source(
            said("image " + ofImage, node.path("image")),
            said("checksum " + ofImage, node.path("checksum")),
            said("template " + ofImage, node.path("template"))));
  }

  private static String said(String what, JsonNode node) {
    return OfferDocument.isAbsent(node) ? "" : text(what, node);
  }

  private static Iterable<JsonNode> elements(String what, JsonNode list) {
    if (OfferDocument.isAbsent(list)) {
      return List.of();
    }
    if (!list.isArray()) {
      throw wrong(what, "is no list: " + list);
    }
    return list;
  }

  private static List<String> parts(String what, JsonNode list) {
    List<String> parts = new ArrayList<>();
    for (JsonNode element : elements(what, list)) {
      parts.add(part(what, element));
    }
    return parts;
  }

  private static String part(String what, JsonNode node) {
    String part = text(what, node);
    if (!ConfigurationContents.isPart(part)) {
      throw wrong(
          what,
          "is or contains \"%s\"; a part of a configuration must match %s"
              .formatted(part, ConfigurationContents.PART));
    }
    return part;
  }

  private static String text(String what, JsonNode node) {
    if (!node.isTextual() || node.textValue().isEmpty()) {
      throw wrong(what, node.isMissingNode() ? "is missing" : "is or contains no text: " + node);
    }
    return node.textValue();
  }

  /** Adds releases to a list, as {@link #read} reads them. */
  static void write(List<FleetRelease.Parts> releases, ArrayNode list) {
    for (FleetRelease.Parts release : releases) {
      ObjectNode element = list.addObject();
      element.put("name", release.name());
      ArrayNode images = element.putArray("images");
      release.images().forEach(image -> write(image, images.addObject()));
      element.set("gpuDrivers", JSON.valueToTree(release.gpuDrivers()));
      element.put("kubernetesVersion", release.kubernetes());
    }
  }

  private static void write(FleetRelease.Image image, ObjectNode element) {
    element.put("name", image.name());
    element.put("train", image.train());
    element.set("kernels", JSON.valueToTree(image.kernels()));
    put(element, "image", image.source().image());
    put(element, "checksum", image.source().checksum());
    put(element, "template", image.source().template());
  }

  private static void put(ObjectNode element, String field, String text) {
    if (!text.isEmpty()) {
      element.put(field, text);
    }
  }
}

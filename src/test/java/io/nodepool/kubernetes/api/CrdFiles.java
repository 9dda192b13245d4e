package io.nodepool.kubernetes.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.fabric8.crdv2.generator.CRDGenerator;
import io.fabric8.kubernetes.client.CustomResource;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Generates the CRDs from the resource classes: with fabric8's generator, then with what it cannot
 * express (see {@link CrdSchema}). It is test code, so that the generator is not shipped.
 */
public final class CrdFiles {
  /** The resources that have a CRD. */
  public static final List<Class<? extends CustomResource<?, ?>>> KINDS =
      List.of(
          NodePool.class,
          HostResource.class,
          HostSignalsResource.class,
          SignalSourceResource.class,
          SimulatedFleet.class);

  private static final String HEADER =
      "# Made from the classes in io.nodepool.kubernetes.api. Change those, then run: ./mvnw test -Pquick -Dtest=CrdsTest -Dcrds.write=true\n";

  private static final YAMLMapper YAML =
      YAMLMapper.builder()
          .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
          .disable(YAMLGenerator.Feature.SPLIT_LINES)
          .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
          .enable(YAMLGenerator.Feature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
          .enable(YAMLGenerator.Feature.INDENT_ARRAYS_WITH_INDICATOR)
          .build();

  private CrdFiles() {}

  /** The text of every CRD by the name of its file. */
  public static Map<String, String> texts() {
    Map<String, String> texts = new TreeMap<>();
    for (Class<? extends CustomResource<?, ?>> kind : KINDS) {
      ObjectNode crd = tree(kind);
      texts.put(crd.at("/metadata/name").asText() + ".yaml", HEADER + write(crd));
    }
    return texts;
  }

  /** The CRD of a kind. */
  public static ObjectNode tree(Class<? extends CustomResource<?, ?>> kind) {
    ObjectNode crd = generate(kind);
    new CrdSchema(kind).complete(crd);
    return crd;
  }

  private static ObjectNode generate(Class<? extends CustomResource<?, ?>> kind) {
    Memory memory = new Memory();
    new CRDGenerator()
        .customResourceClasses(List.of(kind))
        .forCRDVersions("v1")
        .withOutput(memory)
        .generate();
    try {
      JsonNode crd = YAML.readTree(memory.bytes.toString(StandardCharsets.UTF_8));
      return (ObjectNode) crd;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String write(JsonNode tree) {
    try {
      return YAML.writeValueAsString(tree);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** An output in memory for the one CRD that the generator writes. */
  private static final class Memory implements CRDGenerator.CRDOutput<OutputStream> {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    @Override
    public OutputStream outputFor(String crdName) {
      return bytes;
    }

    @Override
    public URI crdURI(String crdName) {
      return URI.create("file:///" + crdName);
    }

    @Override
    public void close() {}
  }
}

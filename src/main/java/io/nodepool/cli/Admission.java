package io.nodepool.cli;

import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.nodepool.cli.input.Manifests;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Objects;

/** The admission policies that travel with the program: those of the chart, as it renders them. */
public final class Admission {
  /** The user that the policies know as the operator. */
  public static final String OPERATOR = "system:serviceaccount:nodepool-system:nodepool-operator";

  /** The user that the policies know as the data centre. */
  public static final String DATA_CENTRE = OPERATOR + "-data-centre";

  private static final String FILE = "/deploy/admission.yaml";
  private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());

  private Admission() {}

  /** Applies them; a moment later they are in force. Repeating it changes nothing. */
  public static void install(KubernetesClient client) {
    policies().forEach(policy -> client.resource(policy).patch(Manifests.APPLY));
  }

  /** The policies and their bindings. */
  static List<GenericKubernetesResource> policies() {
    InputStream resource = Objects.requireNonNull(Admission.class.getResourceAsStream(FILE), FILE);
    try (resource;
        MappingIterator<GenericKubernetesResource> documents =
            YAML.readerFor(GenericKubernetesResource.class).readValues(resource)) {
      return documents.readAll();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + FILE, e);
    }
  }
}

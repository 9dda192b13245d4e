package io.nodepool.cli.input;

import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.nodepool.local.programs.Packaged;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/** The admission policies of the chart, packaged with the program as the chart renders them. */
public final class Admission {
  /** The user name of the operator in the policies. */
  public static final String OPERATOR = "system:serviceaccount:nodepool-system:nodepool-operator";

  /** The user name of the data centre in the policies. */
  public static final String DATA_CENTRE = OPERATOR + "-data-centre";

  private static final String FILE = "/deploy/admission.yaml";
  private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());

  private Admission() {}

  /** Applies the policies, which take effect shortly afterwards. Idempotent. */
  public static void install(KubernetesClient client) {
    policies().forEach(policy -> client.resource(policy).patch(Manifests.APPLY));
  }

  /** The policies and their bindings. */
  static List<GenericKubernetesResource> policies() {
    try (MappingIterator<GenericKubernetesResource> documents =
        YAML.readerFor(GenericKubernetesResource.class).readValues(Packaged.text(FILE))) {
      return documents.readAll();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + FILE, e);
    }
  }
}

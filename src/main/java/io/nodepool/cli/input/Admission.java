package io.nodepool.cli.input;

import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.nodepool.local.programs.Packaged;
import io.nodepool.vocabulary.metadata.KeyExceptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The admission policies of the chart, packaged with the program as the chart renders them. */
public final class Admission {
  /** The user name of the operator in the policies. */
  public static final String OPERATOR = "system:serviceaccount:nodepool-system:nodepool-operator";

  /** The user name of the data centre in the policies. */
  public static final String DATA_CENTRE = OPERATOR + "-data-centre";

  /** A key in each list of keys that the operator writes on Nodes. */
  private static final String ALLOWED = "'cks.coreweave.cloud/system-critical'";

  private static final String FILE = "/deploy/admission.yaml";

  /** With the priority class that it sets. */
  private static final String INTERRUPTIBLE = "/deploy/interruptible-priority.yaml";

  private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());

  private Admission() {}

  /**
   * Applies the policies, which take effect shortly afterwards, with the priority class of
   * interruptible Pods. Idempotent.
   *
   * @param exceptions the reserved keys that NodePools, and thus the operator on Nodes, may set
   */
  public static void install(KubernetesClient client, KeyExceptions exceptions) {
    Stream.concat(policies(exceptions).stream(), objects(Packaged.text(INTERRUPTIBLE)).stream())
        .forEach(policy -> client.resource(policy).patch(Manifests.APPLY));
  }

  /** The policies and their bindings. */
  static List<GenericKubernetesResource> policies(KeyExceptions exceptions) {
    return objects(allowing(exceptions, Packaged.text(FILE)));
  }

  private static List<GenericKubernetesResource> objects(String manifest) {
    try (MappingIterator<GenericKubernetesResource> documents =
        YAML.readerFor(GenericKubernetesResource.class).readValues(manifest)) {
      return documents.readAll();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read a packaged manifest", e);
    }
  }

  private static String allowing(KeyExceptions further, String policies) {
    String keys =
        further.keys().stream().map(key -> "'%s', ".formatted(key)).collect(Collectors.joining());
    return policies.replace(ALLOWED, keys + ALLOWED);
  }
}

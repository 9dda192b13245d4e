package io.nodepool.cli.command;

import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinitionVersion;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.nodepool.kubernetes.api.schema.MetadataRules;
import io.nodepool.local.programs.Packaged;
import io.nodepool.vocabulary.metadata.KeyExceptions;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The custom resource definitions, packaged with the program. */
public final class Crds {
  private static final List<String> FILES =
      List.of(
          "nodepools.compute.coreweave.com.yaml",
          "hosts.fleet.nodepool.io.yaml",
          "hostsignals.fleet.nodepool.io.yaml",
          "signalsources.fleet.nodepool.io.yaml",
          "simulatedfleets.fleet.nodepool.io.yaml");

  private static final String FIELD_MANAGER = "nodepool-install";
  private static final long ESTABLISHED_WITHIN_SECONDS = 30;
  private static final long POLL_MILLISECONDS = 100;

  private Crds() {}

  /**
   * All definitions as one stream of YAML documents.
   *
   * @param exceptions the reserved keys that NodePools may set
   */
  public static String yaml(KeyExceptions exceptions) {
    return FILES.stream().map(file -> read(file, exceptions)).collect(Collectors.joining("---\n"));
  }

  /** Applies all definitions, without exceptions, and waits until they are served. Idempotent. */
  public static void install(KubernetesClient client) {
    install(client, KeyExceptions.NONE);
  }

  /**
   * Applies all definitions to a cluster and waits until it serves them. Idempotent.
   *
   * @param exceptions the reserved keys that NodePools may set
   */
  public static void install(KubernetesClient client, KeyExceptions exceptions) {
    PatchContext apply =
        new PatchContext.Builder()
            .withPatchType(PatchType.SERVER_SIDE_APPLY)
            .withFieldManager(FIELD_MANAGER)
            .withForce(true)
            .build();
    List<String> applied =
        FILES.stream()
            .map(file ->
                client
                    .getKubernetesSerialization()
                    .unmarshal(read(file, exceptions), CustomResourceDefinition.class))
            .map(crd -> client.resource(crd).patch(apply).getMetadata().getName())
            .toList();
    applied.forEach(name -> awaitEstablished(client, name));
  }

  /**
   * Waits until a definition is served and then listed by discovery: a client that looks for the
   * kind in between does not find it.
   */
  public static void awaitEstablished(KubernetesClient client, String name) {
    CustomResourceDefinition established =
        client
            .apiextensions()
            .v1()
            .customResourceDefinitions()
            .withName(name)
            .waitUntilCondition(Crds::isEstablished, ESTABLISHED_WITHIN_SECONDS, TimeUnit.SECONDS);
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(ESTABLISHED_WITHIN_SECONDS);
    while (!isListed(client, established) && System.nanoTime() < end) {
      new CompletableFuture<Void>()
          .completeOnTimeout(null, POLL_MILLISECONDS, TimeUnit.MILLISECONDS)
          .join();
    }
  }

  private static boolean isListed(KubernetesClient client, CustomResourceDefinition crd) {
    return crd.getSpec().getVersions().stream()
        .filter(CustomResourceDefinitionVersion::getServed)
        .allMatch(version ->
            isListed(
                client,
                crd.getSpec().getGroup() + "/" + version.getName(),
                crd.getSpec().getNames().getKind()));
  }

  /** Whether discovery lists a kind. */
  public static boolean isListed(KubernetesClient client, String apiVersion, String kind) {
    return Optional.ofNullable(client.getApiResources(apiVersion)).stream()
        .flatMap(list -> list.getResources().stream())
        .anyMatch(known -> known.getKind().equals(kind));
  }

  /** Whether a definition is served. Right after its creation its conditions are null. */
  public static boolean isEstablished(CustomResourceDefinition crd) {
    return Stream.ofNullable(crd.getStatus())
        .flatMap(status -> Stream.ofNullable(status.getConditions()))
        .flatMap(List::stream)
        .anyMatch(condition ->
            condition.getType().equals("Established") && condition.getStatus().equals("True"));
  }

  private static String read(String file, KeyExceptions exceptions) {
    return MetadataRules.allowing(exceptions, Packaged.text("/crds/" + file));
  }
}

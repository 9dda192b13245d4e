package io.nodepool.kubernetes.api;

import static io.fabric8.crd.generator.annotation.AdditionalPrinterColumn.Type.DATE;

import com.fasterxml.jackson.annotation.JsonClassDescription;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.generator.annotation.Required;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Categories;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Kind;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.Singular;
import io.fabric8.kubernetes.model.annotation.Version;
import io.nodepool.kubernetes.api.schema.ApiText;

/**
 * The signals that monitoring reports about the machine of the Host with the same name.
 * Cluster-scoped, and owned by the Host. Any monitor that may write it is a source.
 */
@Group("fleet.nodepool.io")
@Version("v1alpha1")
@Kind("HostSignals")
@Singular("hostsignals")
@Plural("hostsignals")
@Categories(ApiText.CATEGORY)
@JsonClassDescription(
    "HostSignals is what monitoring reports about the machine of the Host with the same name: one entry for each signal. A monitor writes the"
        + " entries that changed with a JSON merge patch, or its own entries with a server-side apply.")
@AdditionalPrinterColumn(name = "Age", type = DATE, jsonPath = ".metadata.creationTimestamp")
public class HostSignalsResource extends CustomResource<HostSignalsSpec, Void> {

  @Override
  @Required
  public HostSignalsSpec getSpec() {
    return super.getSpec();
  }
}

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

/** The heartbeat of the source of signals with the same name. Cluster-scoped. */
@Group("fleet.nodepool.io")
@Version("v1alpha1")
@Kind("SignalSource")
@Singular("signalsource")
@Plural("signalsources")
@Categories(ApiText.CATEGORY)
@JsonClassDescription(
    "SignalSource is the heartbeat of the source of signals with the same name, such as alertmanager. What a source reports in HostSignals counts"
        + " only as long as the source is heard of.")
@AdditionalPrinterColumn(name = "Heartbeat", type = DATE, jsonPath = ".spec.heartbeatAt")
@AdditionalPrinterColumn(name = "Age", type = DATE, jsonPath = ".metadata.creationTimestamp")
public class SignalSourceResource extends CustomResource<SignalSourceSpec, Void> {

  @Override
  @Required
  public SignalSourceSpec getSpec() {
    return super.getSpec();
  }
}

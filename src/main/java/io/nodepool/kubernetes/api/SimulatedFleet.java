package io.nodepool.kubernetes.api;

import static io.fabric8.crd.generator.annotation.AdditionalPrinterColumn.Type.DATE;
import static io.fabric8.crd.generator.annotation.AdditionalPrinterColumn.Type.INTEGER;
import static io.fabric8.crd.generator.annotation.AdditionalPrinterColumn.Type.STRING;

import com.fasterxml.jackson.annotation.JsonClassDescription;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.generator.annotation.Required;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Categories;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.Version;
import io.nodepool.kubernetes.api.schema.ApiText;

/** A simulated data centre, whose machines appear as Hosts. Cluster-scoped. */
@Group("fleet.nodepool.io")
@Version("v1alpha1")
@Plural("simulatedfleets")
@Categories(ApiText.CATEGORY)
@JsonClassDescription(
    "SimulatedFleet is a data centre that exists in this process only: racks of machines that boot, run and are cleaned. Its machines"
        + " appear as Hosts, and as Nodes once they are assigned.")
@AdditionalPrinterColumn(name = "Zone", type = STRING, jsonPath = ".spec.zone")
@AdditionalPrinterColumn(name = "Hosts", type = INTEGER, jsonPath = ".status.hosts")
@AdditionalPrinterColumn(name = "Free", type = INTEGER, jsonPath = ".status.free")
@AdditionalPrinterColumn(name = "Age", type = DATE, jsonPath = ".metadata.creationTimestamp")
@AdditionalPrinterColumn(name = "Message", type = STRING, jsonPath = ".status.message")
public class SimulatedFleet extends CustomResource<SimulatedFleetSpec, SimulatedFleetStatus> {

  @Override
  @Required
  public SimulatedFleetSpec getSpec() {
    return super.getSpec();
  }
}

package io.nodepool.kubernetes.api;

import static io.fabric8.crd.generator.annotation.AdditionalPrinterColumn.Type.DATE;
import static io.fabric8.crd.generator.annotation.AdditionalPrinterColumn.Type.INTEGER;
import static io.fabric8.crd.generator.annotation.AdditionalPrinterColumn.Type.STRING;

import com.fasterxml.jackson.annotation.JsonClassDescription;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Categories;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Kind;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.Singular;
import io.fabric8.kubernetes.model.annotation.Version;
import io.nodepool.kubernetes.api.schema.ApiText;

/**
 * A machine of the fleet: the interface between the operator, which writes the desired state to the
 * spec, and a fleet controller, which writes the observed state to the status. Cluster-scoped. The
 * rules make the API server itself refuse a second assignment of a machine; they are at the root,
 * since they need both status and spec.
 */
@Group("fleet.nodepool.io")
@Version("v1alpha1")
@Kind("Host")
@Singular("host")
@Plural("hosts")
@Categories(ApiText.CATEGORY)
@JsonClassDescription(
    "Host is a machine of the fleet. The fleet creates it and writes its status; the operator writes the rest of its spec: which pool it is"
        + " assigned to, what it boots and whether it is powered on. Whoever reconciles Hosts is a fleet.")
@ValidationRule(
    value =
        "!has(oldSelf.spec.assignment) || !has(self.spec.assignment)"
            + " || (self.spec.assignment.poolUid == oldSelf.spec.assignment.poolUid"
            + " && self.spec.assignment.pool == oldSelf.spec.assignment.pool)",
    message =
        "the Host is assigned to another pool; clear spec.assignment and wait for the phase Free first")
@ValidationRule(
    value =
        "has(oldSelf.spec.assignment) || !has(self.spec.assignment)"
            + " || (has(self.status) && has(self.status.phase) && self.status.phase == 'Free')",
    message = "only a Host whose status.phase is Free can be assigned")
@ValidationRule(
    value =
        "self.spec.tenancy == oldSelf.spec.tenancy"
            + " + (!has(oldSelf.spec.assignment) && has(self.spec.assignment) ? 1 : 0)",
    message =
        "spec.tenancy counts assignments: add 1 with a new spec.assignment, else leave it as it is")
@ValidationRule(
    value =
        "!has(oldSelf.spec.assignment) || has(self.spec.assignment)"
            + " || oldSelf.spec.power == 'Off'"
            + " || !has(self.status) || !has(self.status.phase) || self.status.phase in ['Free', 'Booting']",
    message =
        "the machine runs for its pool, perhaps with Pods of a tenant: lower the pool's target or delete the pool, and the operator removes the Node and clears spec.assignment")
@ValidationRule(
    value =
        "has(self.spec.assignment) || (has(self.spec.boot) == has(oldSelf.spec.boot)"
            + " && (!has(self.spec.boot) || self.spec.boot == oldSelf.spec.boot))",
    message =
        "spec.boot can be changed only while the Host is assigned; the request of an earlier assignment stays, for its history")
@ValidationRule(
    value =
        "!has(self.spec.boot) || !has(oldSelf.spec.boot)"
            + " || has(self.spec.boot.from) != has(oldSelf.spec.boot.from)"
            + " || (has(self.spec.boot.from) && self.spec.boot.from != oldSelf.spec.boot.from)"
            + " || has(self.spec.boot.operation) != has(oldSelf.spec.boot.operation)"
            + " || (has(self.spec.boot.operation) && self.spec.boot.operation != oldSelf.spec.boot.operation)"
            + " || self.spec.boot.try >= oldSelf.spec.boot.try",
    message =
        "spec.boot.try counts the tries of one operation: another try to leave the same boot has a higher number")
@ValidationRule(
    value = "!has(self.spec.fenced) || self.spec.fenced.tenancy <= self.spec.tenancy",
    message =
        "spec.fenced.tenancy is later than spec.tenancy: nobody can have fenced the machine in a tenancy that has not begun")
@AdditionalPrinterColumn(
    name = "Instance Type",
    type = STRING,
    jsonPath = ".spec.machine.instanceType")
@AdditionalPrinterColumn(name = "Phase", type = STRING, jsonPath = ".status.phase")
@AdditionalPrinterColumn(name = "Pool", type = STRING, jsonPath = ".spec.assignment.pool")
@AdditionalPrinterColumn(name = "Tenancy", type = INTEGER, jsonPath = ".spec.tenancy")
@AdditionalPrinterColumn(
    name = "Failures",
    type = INTEGER,
    jsonPath = ".spec.deliveryFailures.count")
@AdditionalPrinterColumn(name = "Set Aside", type = STRING, jsonPath = ".spec.setAside")
@AdditionalPrinterColumn(name = "Rack", type = STRING, jsonPath = ".spec.machine.rack")
@AdditionalPrinterColumn(
    name = "Preserved Until",
    type = STRING,
    priority = 1,
    jsonPath = ".spec.assignment.preserved.until")
@AdditionalPrinterColumn(
    name = "Faulty GPUs",
    type = STRING,
    priority = 1,
    jsonPath = ".status.faultyGpus")
@AdditionalPrinterColumn(
    name = "Faulty DPUs",
    type = STRING,
    priority = 1,
    jsonPath = ".status.faultyDpus")
@AdditionalPrinterColumn(
    name = "Power",
    type = STRING,
    priority = 1,
    jsonPath = ".status.power.state")
@AdditionalPrinterColumn(
    name = "Maintenance",
    type = STRING,
    priority = 1,
    jsonPath = ".status.maintenance")
@AdditionalPrinterColumn(name = "Age", type = DATE, jsonPath = ".metadata.creationTimestamp")
public class HostResource extends CustomResource<HostSpec, HostStatus> {

  @Override
  @Required
  public HostSpec getSpec() {
    return super.getSpec();
  }
}

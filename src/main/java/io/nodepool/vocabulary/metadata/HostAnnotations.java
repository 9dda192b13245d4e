package io.nodepool.vocabulary.metadata;

/** The annotations of a Host that the simulated data centre reads. */
public enum HostAnnotations implements MetadataKey {
  RECLAIM(
      "fleet.nodepool.io/reclaim",
      "Specific to this operator, on simulated Hosts: the data centre wants the machine back from a spot pool until the annotation is removed. The value is the time until it takes the machine; with true or no value, spec.timings.reclaimWindow of the SimulatedFleet.",
      "7m"),
  REBOOT(
      "fleet.nodepool.io/reboot",
      "Specific to this operator, on simulated Hosts: the machine reboots by itself, as after a fault, if status.bootId is this value; so one value is one reboot. It is not verified.",
      "8f1d5d0f9c4be2a7");

  private final Entry entry;

  HostAnnotations(String key, String meaning, String sample) {
    this.entry = new Entry(key, meaning, sample, KeyWriter.CLIENT);
  }

  @Override
  public Entry entry() {
    return entry;
  }
}

package io.nodepool.vocabulary.metadata;

/** The annotations of a Host that are defined. The simulated data centre reads some of them. */
public enum HostAnnotations implements MetadataKey {
  RECLAIM(
      "fleet.nodepool.io/reclaim",
      "Specific to this operator, on simulated Hosts: the data centre wants the machine back from a spot pool until the annotation is removed. The value is the time until it takes the machine; with true or no value, spec.timings.reclaimWindow of the SimulatedFleet.",
      "7m"),
  REBOOT(
      "fleet.nodepool.io/reboot",
      "Specific to this operator, on simulated Hosts: the machine reboots by itself, as after a fault, if status.bootId is this value; so one value is one reboot. It is not verified.",
      "8f1d5d0f9c4be2a7"),
  SERIAL(
      "fleet.nodepool.io/serial",
      "Specific to this operator, written by the fleet: the serial number of the machine, by which the alerts of monitors may name it.",
      "S482917X3A00417"),
  SET_ASIDE_ENDED(
      "fleet.nodepool.io/set-aside-ended",
      "Specific to this operator, written by kubectl nodepool host release: the last time that a user took back that the Host is set aside, as JSON: at (when), by (the user, if the API server says it), reason (if one was given), and setAside (what spec.setAside was). Attempts to repair the machine before that count no more.",
      "{\"at\":\"2026-01-01T00:00:00Z\",\"by\":\"jane@example.com\",\"reason\":\"new power supply\",\"setAside\":\"3 deliveries to pools failed in a row; the last time it did not come up in time\"}");

  private final Entry entry;

  HostAnnotations(String key, String meaning, String sample) {
    this.entry = new Entry(key, meaning, sample, Access.of(KeyWriter.CLIENT));
  }

  @Override
  public Entry entry() {
    return entry;
  }
}

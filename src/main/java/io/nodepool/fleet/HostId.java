package io.nodepool.fleet;

/** A Host's identity: its UID; its name is also the name of the Node that it joins as. */
public record HostId(String name, String uid) {}

package io.nodepool.fleet;

/** A Node taint; key and effect together identify it. */
public record Taint(String key, String value, String effect) {}

package io.nodepool.control.write;

import java.time.Instant;

/**
 * Failures in a row of one kind of request on one object.
 *
 * @param request the last one that failed
 * @param until when it may be tried again
 * @param why why the last one failed
 * @param denied whether the server did not allow one of them
 */
public record WriteFailure<R>(R request, int count, Instant until, String why, boolean denied) {}

/**
 * Spans of requests, steps and deliveries. Tracing is off unless the environment names a collector: then nothing of the
 * SDK is loaded, and nothing is done. Contexts are W3C traceparents, which jobs and events carry in their rows: so a trace
 * survives the queue, and a job that waited for another one belongs to the trace of its own request.
 */
import type { Tracer } from './open-tracer.js';

let tracer: Tracer | undefined;

/** Loads the SDK, which reads the other OTEL_ variables by itself. @param process the name of this process */
export async function startTracing(process: string, version: string): Promise<void> {
  const { openTracer } = await import('./open-tracer.js');
  tracer = openTracer(process, version);
}

/** Undefined: tracing is off. */
export function tracing(): Tracer | undefined {
  return tracer;
}

/** Sends what has not been sent. Spans that the collector does not accept are lost: they are no part of the work. */
export async function stopTracing(): Promise<void> {
  await tracer?.stop().catch(() => undefined);
}

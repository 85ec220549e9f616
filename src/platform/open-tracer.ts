/** Opens the OpenTelemetry SDK. Only tracing.ts loads this file, and only when tracing is on. */
import { hostname } from 'node:os';
import {
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  NodeTracerProvider,
  type ReadableSpan,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-node';
import type { QueueBaseOptions } from 'bullmq';
import { BullMQOtel } from 'bullmq-otel';

/** Ids, names of our own, and counts: never a value, a contact or a payload. */
type Attributes = Readonly<Record<string, string | number>>;

interface SpanStart {
  /** One of few: no ids. */
  readonly name: string;
  readonly kind: 'server' | 'internal' | 'client';
  /** A traceparent. Null: the span that is active here, if any. */
  readonly parent: string | null;
  readonly attributes?: Attributes;
}

interface OpenSpan {
  readonly traceparent: string;
  /** Runs `work` with this span as the active one. */
  run<T>(work: () => T): T;
  /** @param name replaces that of the start, when it is known only now */
  end(result: { readonly failed: boolean; readonly name?: string; readonly attributes?: Attributes }): void;
}

export interface Tracer {
  /** What BullMQ makes its spans with. */
  readonly telemetry: NonNullable<QueueBaseOptions['telemetry']>;
  start(span: SpanStart): OpenSpan;
  /** Sends what has not been sent. */
  stop(): Promise<void>;
}

const OURS = 'longshore';
const QUEUES = 'longshore-queues';
const KINDS = { server: SpanKind.SERVER, internal: SpanKind.INTERNAL, client: SpanKind.CLIENT } as const;

/** See startTracing. */
export function openTracer(process: string, version: string): Tracer {
  const identity = resourceFromAttributes({
    'service.name': OURS,
    'service.version': version,
    'service.instance.id': `${hostname()}:${globalThis.process.pid}`,
    'longshore.process': process,
  });
  // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES have the last word.
  const resource = defaultResource()
    .merge(identity)
    .merge(detectResources({ detectors: [envDetector] }));
  const provider = new NodeTracerProvider({
    resource,
    spanProcessors: [new BatchSpanProcessor(withoutValues(new OTLPTraceExporter()))],
  });
  provider.register();
  const tracer = provider.getTracer(OURS, version);
  return {
    telemetry: new BullMQOtel({ tracerName: QUEUES, version }),
    start: ({ name, kind, parent, attributes = {} }: SpanStart) => {
      const origin = originOf(parent);
      const span = tracer.startSpan(name, { kind: KINDS[kind], attributes, links: origin.links }, origin.parent);
      return opened(span);
    },
    stop: () => provider.shutdown(),
  };
}

/**
 * The parent of a span. What happens within the active span of the same trace is its child. Another trace continues by
 * itself, with a link to the active span: a queue job may begin the job of another request.
 */
function originOf(traceparent: string | null): { readonly parent: Context; readonly links: { context: LinkedSpan }[] } {
  const active = trace.getSpanContext(context.active());
  if (traceparent === null) return { parent: context.active(), links: [] };
  const parent = propagation.extract(ROOT_CONTEXT, { traceparent });
  if (active === undefined) return { parent, links: [] };
  if (trace.getSpanContext(parent)?.traceId === active.traceId) return { parent: context.active(), links: [] };
  return { parent, links: [{ context: active }] };
}

type LinkedSpan = NonNullable<ReturnType<typeof trace.getSpanContext>>;

function opened(span: Span): OpenSpan {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return {
    traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
    run: (work) => context.with(trace.setSpan(context.active(), span), work),
    end: ({ failed, name, attributes = {} }) => {
      if (name !== undefined) span.updateName(name);
      span.setAttributes(attributes);
      if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}

/** Of BullMQ's attributes. The others contain results and messages of errors, which may quote rows. */
const PASSED_ON = new Set(['bullmq.queue.name', 'bullmq.queue.operation', 'bullmq.job.id', 'bullmq.job.name']);

/** Passes on what says nothing about the content of jobs, and not the spans of BullMQ's own housekeeping. */
function withoutValues(exporter: SpanExporter): SpanExporter {
  return {
    export: (spans, done) => exporter.export(spans.filter(isOfInterest).map(scrubbed), done),
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}

function isOfInterest({ instrumentationScope, kind }: ReadableSpan): boolean {
  return instrumentationScope.name !== QUEUES || kind !== SpanKind.INTERNAL;
}

function scrubbed(span: ReadableSpan): ReadableSpan {
  if (span.instrumentationScope.name !== QUEUES) return span;
  const attributes = Object.fromEntries(Object.entries(span.attributes).filter(([name]) => PASSED_ON.has(name)));
  return Object.create(span, {
    attributes: { value: attributes },
    // Exceptions, with their messages.
    events: { value: [] },
    status: { value: { code: span.status.code } },
  });
}

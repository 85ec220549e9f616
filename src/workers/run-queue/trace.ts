/** Traces: a step is a span in the trace of its job's request, and so is each request to a target. */
import type { Db } from '../../../db/connection.js';
import type { Targets } from '../../domain/webhooks/targets.js';
import { tracing } from '../../platform/tracing.js';
import type { PayloadOf } from '../../queues/define-queue.js';
import type { queues } from '../../queues/index.js';

/** The first status by which a target does not accept a delivery. */
const FIRST_FAILURE = 300;

type WebhookSender = Targets['sender'];

/** Runs a step, and makes a span of it for each job that it names. */
export async function inSpans(
  db: Db,
  queue: string,
  jobId: string | undefined,
  payload: unknown,
  work: () => Promise<void>,
): Promise<void> {
  const tracer = tracing();
  const jobIds = tracer === undefined ? [] : jobId === undefined ? batchedJobs(payload) : [jobId];
  if (tracer === undefined || jobIds.length === 0) return work();
  // Without the database the step fails by itself.
  const rows: { id: string; traceparent: string | null }[] = await db('job')
    .whereIn('id', jobIds)
    .select('id', 'traceparent')
    .catch(() => []);
  const spans = rows.map(({ id, traceparent }) =>
    tracer.start({
      name: `step ${queue}`,
      kind: 'internal',
      parent: traceparent,
      attributes: { 'longshore.job_id': id, 'longshore.queue': queue },
    }),
  );
  const [only, ...others] = spans;
  let failed = true;
  try {
    await (only === undefined || others.length > 0 ? work() : only.run(work));
    failed = false;
  } finally {
    for (const span of spans) span.end({ failed });
  }
}

/** The jobs that are executed together by a step that is no job's own. */
function batchedJobs(payload: unknown): string[] {
  const { steps = [] } = payload as Partial<PayloadOf<typeof queues.planBatch>>;
  return steps.map(({ jobId }) => jobId);
}

/** A span for each request to a target, whose context the request carries. */
export function traced(sender: WebhookSender): WebhookSender {
  const tracer = tracing();
  if (tracer === undefined) return sender;
  return {
    close: () => sender.close(),
    send: async (request, signal) => {
      const { method, headers } = request;
      const parent = headers.traceparent ?? null;
      const span = tracer.start({ name: 'webhook', kind: 'client', parent });
      const sent = { ...request, headers: { ...headers, traceparent: span.traceparent } };
      const result = await span.run(() => sender.send(sent, signal));
      const status = result.kind === 'answered' ? { 'http.response.status_code': result.statusCode } : {};
      span.end({
        failed: result.kind !== 'answered' || result.statusCode >= FIRST_FAILURE,
        attributes: { 'http.request.method': method, 'longshore.outcome': result.kind, ...status },
      });
      return result;
    },
  };
}

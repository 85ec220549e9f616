/** What must not compile about queues. Checked by the compiler; never run. */
import { z } from 'zod';
import type { applyChunk } from '../../src/queues/contracts/apply-chunk.js';
import { planJob } from '../../src/queues/contracts/plan-job.js';
import { defineQueue, type PayloadOf } from '../../src/queues/define-queue.js';
import type { queues } from '../../src/queues/index.js';
import type { Producer } from '../../src/queues/producer.js';
import type { Handler, HandlerOf } from '../../src/workers/handler.js';
import { createHandlers } from '../../src/workers/index.js';

const handlers = createHandlers();

declare const producer: Producer;

// What a producer enqueues is what the contract says.
void producer.enqueue(planJob, { jobId: 'j', dispatch: 1 });
// @ts-expect-error a field is missing
void producer.enqueue(planJob, { jobId: 'j' });
// @ts-expect-error a field has another type
void producer.enqueue(planJob, { jobId: 'j', dispatch: '1' });
// @ts-expect-error it is the payload of another queue
void producer.enqueue(planJob, { jobId: 'j', chunk: 1, dispatch: 1 } satisfies PayloadOf<typeof applyChunk>);
// @ts-expect-error one of many is wrong
void producer.enqueueMany(planJob, [{ jobId: 'j', dispatch: 1 }, { jobId: 'j' }]);

// A payload holds only what survives JSON.
const jobId = () => 'x';
defineQueue({ name: 'x', group: 'bulk', payload: z.object({ id: z.string(), tags: z.array(z.string()) }), jobId });
// @ts-expect-error a Date comes back as text
defineQueue({ name: 'x', group: 'bulk', payload: z.object({ at: z.date() }), jobId });
// @ts-expect-error a Map comes back empty
defineQueue({ name: 'x', group: 'bulk', payload: z.object({ by: z.map(z.string(), z.string()) }), jobId });
// @ts-expect-error a bigint does not go in
defineQueue({ name: 'x', group: 'bulk', payload: z.object({ rows: z.bigint() }), jobId });
// @ts-expect-error however deep it lies
defineQueue({ name: 'x', group: 'bulk', payload: z.object({ a: z.object({ b: z.array(z.date()) }) }), jobId });
// @ts-expect-error nobody serves this group
defineQueue({ name: 'x', group: 'mail', payload: z.object({ id: z.string() }), jobId });

// Every queue has its own handler.
type Handlers = { [K in keyof typeof queues]: HandlerOf<(typeof queues)[K]> };
handlers satisfies Handlers;
const { planJob: _, ...withoutPlan } = handlers;
// @ts-expect-error a queue is without a handler
withoutPlan satisfies Handlers;
// @ts-expect-error a queue has the handler of another
({ ...handlers, finishJob: handlers.applyChunk }) satisfies Handlers;
// @ts-expect-error a new queue has none yet
handlers satisfies Handlers & { deliverWebhook: Handler<{ deliveryId: string }> };

import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { QueueContract } from '../../../src/queues/define-queue.js';
import { queues } from '../../../src/queues/index.js';
import { createHandlers } from '../../../src/workers/index.js';

const handlers = createHandlers();

const jobId = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 24, maxLength: 24 });
const number = fc.nat();
const plain = { noNullPrototype: true };
const step = fc.record({ jobId, dispatch: number }, plain);
const fanOut = fc.record({ eventId: jobId, dispatch: number }, plain);
const delivery = fc.record({ deliveryId: jobId, dispatch: number }, plain);
const chunk = fc.record({ jobId, chunk: number, dispatch: number }, plain);

/** A queue without payloads to try it with does not compile. */
const payloads = {
  planJob: step,
  planBatch: fc.record({ steps: fc.array(step, { minLength: 1, maxLength: 64 }) }, plain),
  applyChunk: chunk,
  applyAtomicJob: step,
  finishJob: step,
  exportJob: step,
  inspectFile: step,
  feedRun: step,
  fanOutEvent: fanOut,
  replayDeliveries: step,
  deliverBatch: fc.record({ batch: jobId }, plain),
  deliverWebhook: delivery,
  redeliverWebhook: delivery,
} satisfies Record<keyof typeof queues, fc.Arbitrary<unknown>>;

describe('queue contracts', () => {
  for (const key of Object.keys(queues) as (keyof typeof queues)[]) {
    const contract = queues[key] as QueueContract<unknown>;
    const payload: fc.Arbitrary<unknown> = payloads[key];

    it(`${contract.name}: a payload comes back from JSON as it went in`, () => {
      fc.assert(
        fc.property(payload, (sent) => {
          const received = contract.payload.parse(JSON.parse(JSON.stringify(contract.payload.parse(sent))));
          assert.deepEqual(received, sent);
        }),
      );
    });

    it(`${contract.name}: the job id tells every payload from every other, and is one that BullMQ takes`, () => {
      fc.assert(
        fc.property(payload, payload, (one, other) => {
          const id = contract.jobId(one);
          assert.match(id, /^[a-z]+_[0-9a-z_]+$/);
          assert.equal(id === contract.jobId(other), JSON.stringify(one) === JSON.stringify(other));
        }),
      );
    });

    it(`${contract.name}: a field that is missing, or of another type, is refused`, () => {
      fc.assert(
        fc.property(payload, (sent) => {
          for (const field of Object.keys(sent as object)) {
            assert.throws(() => contract.payload.parse({ ...(sent as object), [field]: undefined }));
            assert.throws(() => contract.payload.parse({ ...(sent as object), [field]: null }));
          }
        }),
        { numRuns: 20 },
      );
    });
  }

  it('have names of their own', () => {
    const names = Object.values(queues).map(({ name }) => name);
    assert.equal(new Set(names).size, Object.keys(queues).length);
    assert.deepEqual(Object.keys(handlers).sort(), Object.keys(queues).sort());
  });
});

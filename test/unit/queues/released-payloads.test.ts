/** Queue jobs of earlier releases are executed by this one: their queues exist, and their payloads are read whole. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { QueueContract } from '../../../src/queues/define-queue.js';
import { queues } from '../../../src/queues/index.js';

/** A file for each release: what it put on its queues. Frozen once the release is out. */
const PAYLOADS = fileURLToPath(new URL('../../../../test/fixtures/queue-payloads/', import.meta.url));

interface QueueJob {
  readonly payload: unknown;
  /** Both releases must give a step the same id: otherwise it is on the queue twice. */
  readonly jobId: string;
}

const contracts = new Map<string, QueueContract<unknown>>(
  Object.values(queues).map((contract) => [contract.name, contract as QueueContract<unknown>]),
);

describe('queue jobs of earlier releases', () => {
  for (const file of readdirSync(PAYLOADS)) {
    const release = file.replace(/\.json$/, '');
    const sent: Record<string, readonly QueueJob[]> = JSON.parse(readFileSync(PAYLOADS + file, 'utf8'));

    for (const [name, jobs] of Object.entries(sent)) {
      it(`of ${name}, release ${release}, are read, lose nothing, and have the same id`, () => {
        const contract = contracts.get(name) ?? assert.fail(`no worker of this release serves ${name}`);
        assert.ok(jobs.length > 0);
        for (const { payload, jobId } of jobs) {
          const parsed = contract.payload.parse(payload);
          assert.deepEqual(Object.assign({}, parsed, payload), parsed);
          assert.equal(contract.jobId(parsed), jobId);
        }
      });
    }
  }

  it('have been recorded of each queue', () => {
    const recorded = readdirSync(PAYLOADS).flatMap((file) =>
      Object.keys(JSON.parse(readFileSync(PAYLOADS + file, 'utf8'))),
    );
    assert.deepEqual([...new Set(recorded)].sort(), [...contracts.keys()].sort());
  });
});

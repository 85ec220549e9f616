import assert from 'node:assert/strict';
import { describeFault, type Fault, makeSchedule } from '../../chaos/schedule.js';

const MINUTE_MS = 60_000;
const SEEDS = Array.from({ length: 30 }, (_, index) => index + 1);

describe('the schedule of a chaos run', () => {
  it('is the same for the same seed, and another one for another seed', () => {
    assert.deepEqual(makeSchedule(7, MINUTE_MS, 'redis'), makeSchedule(7, MINUTE_MS, 'redis'));
    assert.notDeepEqual(makeSchedule(7, MINUTE_MS, 'redis'), makeSchedule(8, MINUTE_MS, 'redis'));
  });

  it('breaks every part in every way', () => {
    const kinds = new Set(
      SEEDS.flatMap((seed) => makeSchedule(seed, MINUTE_MS, 'redis')).map((fault) => describeFault(fault)),
    );
    for (const process of ['web', 'worker-1', 'worker-2']) {
      for (const signal of ['SIGKILL', 'SIGSTOP', 'SIGTERM']) {
        assert.ok(
          [...kinds].some((text) => text.startsWith(`${signal} of ${process}`)),
          `${signal} of ${process}`,
        );
      }
      for (const server of ['postgres', 'redis']) {
        assert.ok(kinds.has(`${process} is cut off from ${server}`), `${process} and ${server}`);
        assert.ok(kinds.has(`packets between ${process} and ${server} are late`), `${process} and ${server}`);
        assert.ok(kinds.has(`nothing arrives between ${process} and ${server}`), `${process} and ${server}`);
        assert.ok(kinds.has(`the open connections of ${process} to ${server} go silent`), `${process} and ${server}`);
      }
    }
    for (const text of ['SIGKILL of redis', 'redis is emptied', 'the folder of the file store is gone']) {
      assert.ok(kinds.has(text), text);
    }
    for (const disk of ['the file store', 'postgres']) {
      for (const spare of [0, 8, 32]) {
        assert.ok(kinds.has(`the disk of ${disk} is full, but for ${spare} KiB`), `${disk}: ${spare} KiB`);
      }
    }
    for (const text of ['SIGSTOP of postgres', 'SIGSTOP of redis', 'redis has no memory left']) {
      assert.ok(kinds.has(text), text);
    }
    assert.ok(kinds.has('immediate stop of postgres, which recovers'));
  });

  it('has nothing of Redis where there is none', () => {
    const faults = SEEDS.flatMap((seed) => makeSchedule(seed, MINUTE_MS, 'pg'));
    assert.deepEqual(
      faults.map((fault) => describeFault(fault)).filter((text) => text.includes('redis')),
      [],
    );
  });

  it('breaks S3 in every way where files are there, and only there', () => {
    const told = (store: 'folder' | 's3') =>
      new Set(
        SEEDS.flatMap((seed) => makeSchedule(seed, MINUTE_MS, 'redis', store)).map((fault) =>
          describeFault(fault, store),
        ),
      );
    const inS3 = [...told('s3')];
    for (const process of ['web', 'worker-1', 'worker-2']) {
      for (const text of [`${process} is cut off from s3`, `the open connections of ${process} to s3 go silent`]) {
        assert.ok(inS3.includes(text), text);
      }
    }
    for (const text of ['SIGKILL of s3', 'SIGSTOP of s3', 's3 refuses every request with 503', 'SIGKILL of redis']) {
      assert.ok(inS3.includes(text), text);
    }
    assert.ok(inS3.includes('the disk of s3 is full, but for 0 KiB'));
    assert.deepEqual(
      [...told('folder')].filter((text) => text.includes('s3')),
      [],
    );
  });

  it('breaks each part in one way at a time, and ends every fault', () => {
    for (const seed of SEEDS) {
      const faults = makeSchedule(seed, MINUTE_MS, 'redis');
      assert.ok(faults.length >= 15, `only ${faults.length} faults with seed ${seed}`);
      for (const [index, fault] of faults.entries()) {
        assert.equal(fault.number, index + 1);
        assert.ok(fault.atMs < MINUTE_MS && fault.forMs <= 9_000);
        const earlier = faults.slice(0, index).filter((one) => partOf(one) === partOf(fault));
        assert.ok(
          earlier.every(({ atMs, forMs }) => atMs + forMs <= fault.atMs),
          describeFault(fault),
        );
      }
    }
  });
});

function partOf(fault: Fault): string {
  return 'server' in fault ? `${fault.target}/${fault.server}` : fault.target;
}

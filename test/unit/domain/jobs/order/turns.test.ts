/** Whose turn it is: the rule that reads only the front of an order, against the rule that reads all of it. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { CONCURRENT_JOBS, dueOf, type FrontEntry, mayBegin } from '../../../../../src/domain/jobs/order/turns.js';

interface ModelJob {
  readonly position: number;
  readonly concurrent: boolean;
  state: 'q' | 'h' | 'r' | 'e';
}

/** What happens to an order: a job is accepted, tries to begin, or ends. */
type Move =
  | { readonly move: 'accept'; readonly concurrent: boolean }
  | { readonly move: 'begin' | 'end'; readonly which: number };

const moves: fc.Arbitrary<Move[]> = fc.array(
  fc.oneof(
    fc.record({ move: fc.constant('accept' as const), concurrent: fc.boolean() }),
    fc.record({ move: fc.constantFrom('begin' as const, 'end' as const), which: fc.nat() }),
  ),
  { maxLength: 60 },
);

describe('turns', () => {
  it('decides by the front as by the whole order, whatever was accepted, begun and ended', () => {
    fc.assert(
      fc.property(moves, (steps) => {
        const jobs: ModelJob[] = [];
        for (const step of steps) {
          play(jobs, step);
          for (const job of jobs.filter(({ state }) => state === 'q' || state === 'h')) {
            assert.equal(mayBegin(frontOf(jobs), job), mayBeginByAll(jobs, job));
          }
          checkRunning(jobs);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('always lets somebody begin while a job waits and none runs', () => {
    fc.assert(
      fc.property(moves, (steps) => {
        const jobs: ModelJob[] = [];
        for (const step of steps) play(jobs, step);
        const open = jobs.filter(({ state }) => state !== 'e');
        if (open.length === 0 || open.some(({ state }) => state === 'r')) return;
        assert.ok(open.some((job) => mayBegin(frontOf(jobs), job)));
      }),
    );
  });

  it('releases only what is held, and all of it whose turn has come', () => {
    const front = [entry(1, true, 'r'), entry(2, true, 'h'), entry(3, true, 'q'), entry(4, true, 'h')];
    assert.deepEqual(
      dueOf(front).map(({ position }) => position),
      [2, 4],
    );
    assert.deepEqual(dueOf([entry(1, false, 'r'), entry(2, true, 'h')]), []);
    assert.deepEqual(dueOf([entry(1, true, 'r'), entry(2, false, 'h'), entry(3, true, 'h')]), []);
  });
});

function play(jobs: ModelJob[], step: Move): void {
  if (step.move === 'accept') {
    jobs.push({ position: jobs.length + 1, concurrent: step.concurrent, state: 'q' });
    return;
  }
  const candidates = jobs.filter(({ state }) =>
    step.move === 'begin' ? state === 'q' || state === 'h' : state !== 'e',
  );
  const job = candidates[step.which % Math.max(candidates.length, 1)];
  if (job === undefined) return;
  if (step.move === 'end') job.state = 'e';
  else job.state = mayBegin(frontOf(jobs), job) ? 'r' : 'h';
}

function frontOf(jobs: readonly ModelJob[]): FrontEntry[] {
  return jobs
    .flatMap(({ state, ...place }) =>
      state === 'e' ? [] : [{ ...place, state, batchable: false, jobId: `${place.position}`, dispatch: 1 }],
    )
    .slice(0, CONCURRENT_JOBS);
}

/** The rule as it was written over the whole order. */
function mayBeginByAll(jobs: readonly ModelJob[], one: ModelJob): boolean {
  const others = jobs.filter((job) => job !== one && job.state !== 'e');
  const first = (job: ModelJob) => job.position < one.position || job.state === 'r';
  if (others.some((job) => !job.concurrent && first(job))) return false;
  if (!one.concurrent && others.some((job) => job.concurrent && first(job))) return false;
  return others.filter((job) => job.position < one.position).length < CONCURRENT_JOBS;
}

function checkRunning(jobs: readonly ModelJob[]): void {
  const running = jobs.filter(({ state }) => state === 'r');
  assert.ok(running.length <= CONCURRENT_JOBS);
  assert.ok(running.length <= 1 || running.every(({ concurrent }) => concurrent));
}

function entry(position: number, concurrent: boolean, state: FrontEntry['state']): FrontEntry {
  return { position, concurrent, state, batchable: false, jobId: `${position}`, dispatch: 1 };
}

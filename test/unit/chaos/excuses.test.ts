import assert from 'node:assert/strict';
import { type FaultWindow, isExcusedUnfinished, judgeRepetitions } from '../../chaos/audit/excuses.js';
import { makeSchedule } from '../../chaos/schedule.js';

const AT = 1_000_000;
/** What two workers have in flight at most: two queues of twenty each. */
const MOST = 2 * 2 * 20;

describe('a request that was received twice in a chaos run', () => {
  it('is found in the densest schedule, unless a fault in which it was in flight can have caused it', () => {
    const windows = makeSchedule(29, 60_000, 'redis').map(
      (fault): FaultWindow => ({ cause: fault, beganAt: AT + fault.atMs, endedAt: AT + fault.atMs + fault.forMs }),
    );
    const planted = Array.from({ length: 60 }, (_, second) => receipts(`planted-${second}`, 1_000 * second, 20));
    const { unexcused, excused } = judgeRepetitions(planted, windows);
    assert.ok(unexcused.length >= 5, `${unexcused.length} of 60 are found`);
    assert.equal(excused, 60 - unexcused.length);
  });

  it('is excused by the death of the worker that was sending it', () => {
    assert.deepEqual(unexcused([receipts('a', 0, 6_000)], [window({ kind: 'kill', target: 'worker-1' }, 5, 500)]), []);
  });

  it('is not excused by a fault that began after it had been received again', () => {
    const kill = window({ kind: 'kill', target: 'worker-1' }, 200, 500);
    assert.deepEqual(unexcused([receipts('a', 0, 100)], [kill]), ['a']);
  });

  it('is not excused by the death of a worker that had recorded it long before', () => {
    const kill = window({ kind: 'kill', target: 'worker-1' }, 4_000, 500);
    assert.deepEqual(unexcused([receipts('a', 0, 9_000)], [kill]), ['a']);
  });

  it('is not excused by faults of the web process or the store', () => {
    const windows = [
      window({ kind: 'kill', target: 'web' }, 0, 2_000),
      window({ kind: 'half-open', target: 'web', server: 'postgres' }, 0, 0),
      window({ kind: 'away', target: 'store' }, 0, 2_000),
      window({ kind: 'full', target: 'store', spareKib: 0 }, 0, 5_000),
      window({ kind: 'ended', target: 'web' }, 0, 0),
      window({ kind: 'kill', target: 's3' }, 0, 2_000),
      window({ kind: 'silent', target: 'worker-1', server: 's3' }, 0, 2_000),
    ];
    assert.deepEqual(unexcused([receipts('a', 500, 3_000)], windows), ['a']);
  });

  it('is excused while a server cannot take what is to be recorded, and until the queue has found what was under way', () => {
    for (const cause of [
      { kind: 'stop', target: 'postgres' },
      { kind: 'stop', target: 'redis' },
      { kind: 'full', target: 'postgres', spareKib: 0 },
      { kind: 'full', target: 'redis' },
    ] as const) {
      assert.deepEqual(unexcused([receipts('a', 4_000, 5_000)], [window(cause, 0, 2_000)]), [], cause.kind);
      assert.deepEqual(unexcused([receipts('a', 20_000, 5_000)], [window(cause, 0, 2_000)]), ['a'], cause.kind);
    }
  });

  it('is excused as often as requests can have been in flight, and no more often', () => {
    const planted = Array.from({ length: MOST + 3 }, (_, index) => receipts(`a-${index}`, index, 2_000));
    assert.equal(unexcused(planted, [window({ kind: 'crash', target: 'postgres' }, 100, 1_000)]).length, 3);
  });

  it('needs an excuse for each further time', () => {
    const kill = window({ kind: 'kill', target: 'worker-2' }, 5, 500);
    const accepted: [string, { at: number[] }][] = [['a', { at: [AT, AT + 6_000, AT + 12_000] }]];
    assert.deepEqual(unexcused(accepted, [kill]), ['a']);
  });

  it('is excused while a connection is silent and is not replaced yet, and while the machine is overloaded', () => {
    const silent = window({ kind: 'half-open', target: 'worker-1', server: 'postgres' }, 0, 0);
    assert.deepEqual(unexcused([receipts('a', 7_000, 5_000)], [silent]), []);
    assert.deepEqual(unexcused([receipts('a', 20_000, 5_000)], [silent]), ['a']);
    assert.deepEqual(unexcused([receipts('a', 7_000, 5_000)], [window({ kind: 'overload' }, 6_000, 3_000)]), []);
  });
});

describe('a file that a chaos run leaves unfinished', () => {
  it('is excused if a process that had it open was killed', () => {
    const killed = { ...window({ kind: 'kill', target: 'worker-1' }, 60_000, 500), openFiles: ['a/.1.part'] };
    assert.ok(isExcusedUnfinished('a/.1.part', AT, [killed]));
    assert.ok(!isExcusedUnfinished('a/.2.part', AT, [killed]));
    assert.ok(isExcusedUnfinished('a/.2.part', AT + 59_500, [killed]), 'closed, and not yet renamed');
  });

  it('is excused while the store was away, and not by a disk that is full', () => {
    assert.ok(isExcusedUnfinished('.1.part', AT, [window({ kind: 'away', target: 'store' }, 1_000, 2_000)]));
    assert.ok(!isExcusedUnfinished('.1.part', AT, [window({ kind: 'full', target: 'store', spareKib: 0 }, 0, 5_000)]));
    assert.ok(!isExcusedUnfinished('.1.part', AT, [window({ kind: 'kill', target: 'redis' }, 0, 2_000)]));
  });

  it('in S3 is excused by whatever keeps its upload from being aborted, and by nothing that was over before', () => {
    const kinds = [
      { kind: 'full', target: 'store', spareKib: 0 },
      { kind: 'stop', target: 's3' },
      { kind: 'drop', target: 'web', server: 's3' },
      { kind: 'kill', target: 'worker-1' },
    ] as const;
    for (const kind of kinds) {
      assert.ok(isExcusedUnfinished('upload', AT, [window(kind, 5_000, 1_000)], 's3'), kind.kind);
      assert.ok(!isExcusedUnfinished('upload', AT, [window(kind, -5_000, 1_000)], 's3'), `${kind.kind} before`);
      assert.ok(!isExcusedUnfinished('upload', AT, [window(kind, 20_000, 1_000)], 's3'), `${kind.kind} long after`);
    }
    const silent = window({ kind: 'half-open', target: 'web', server: 's3' }, -8_000, 0);
    assert.ok(isExcusedUnfinished('upload', AT, [silent], 's3'), 'its request has not failed yet');
    const elsewhere = window({ kind: 'silent', target: 'web', server: 'postgres' }, 0, 2_000);
    assert.ok(!isExcusedUnfinished('upload', AT, [elsewhere], 's3'));
  });

  it('is not excused by SIGTERM, unless the time of the process was over', () => {
    assert.ok(!isExcusedUnfinished('.1.part', AT, [window({ kind: 'restart', target: 'worker-1' }, 0, 900)]));
    assert.ok(isExcusedUnfinished('.1.part', AT, [window({ kind: 'restart', target: 'worker-1' }, 0, 6_500)]));
    const twice = (target: 'worker-1' | 'worker-2') => [
      window({ kind: 'restart', target: 'worker-1' }, 0, 4_000),
      window({ kind: 'restart', target }, 3_000, 1_000),
    ];
    assert.ok(isExcusedUnfinished('.1.part', AT, twice('worker-1')), 'the second one means "at once"');
    assert.ok(!isExcusedUnfinished('.1.part', AT, twice('worker-2')));
  });
});

function window(cause: FaultWindow['cause'], afterMs: number, forMs: number): FaultWindow {
  return { cause, beganAt: AT + afterMs, endedAt: AT + afterMs + forMs };
}

function receipts(key: string, afterMs: number, againMs: number): [string, { at: number[] }] {
  return [key, { at: [AT + afterMs, AT + afterMs + againMs] }];
}

function unexcused(
  accepted: readonly [string, { at: number[] }][],
  windows: readonly FaultWindow[],
): readonly string[] {
  return judgeRepetitions(accepted, windows).unexcused;
}

import assert from 'node:assert/strict';
import { parseChaosArguments, UsageError } from '../../chaos/command-line.js';

describe('the arguments of npm run chaos', () => {
  it('are a minute on Postgres with the seed of the moment when nothing is given', () => {
    assert.deepEqual(parseChaosArguments([], 5), {
      ...{
        minutes: 1,
        seed: 5,
        backend: 'pg',
        store: 'folder',
        faults: undefined,
        inject: undefined,
        story: false,
        shrinkMinutes: 10,
      },
      lanes: ['ordered', 'subscribed', 'inserts', 'events'],
    });
  });

  it('are those that a failing run prints', () => {
    const text = '--minutes 0.5 --seed 3 --backend redis --store s3 --faults 2,7 --lanes ordered --inject ignore-fence';
    const { minutes, seed, backend, store, faults, lanes, inject } = parseChaosArguments(text.split(' '), 5);
    assert.deepEqual([minutes, seed, backend, store, faults], [0.5, 3, 'redis', 's3', [2, 7]]);
    assert.deepEqual([lanes, inject], [['ordered'], 'ignore-fence']);
  });

  it('may leave out every fault', () => {
    assert.deepEqual(parseChaosArguments(['--faults', ''], 5).faults, []);
  });

  for (const [args, message] of [
    [['--backend', 'mysql'], '--backend takes pg, redis, not "mysql"'],
    [['--store', 'tape'], '--store takes folder, s3, not "tape"'],
    [['--minutes', '0'], '--minutes takes a number up to 600, not "0"'],
    [['--seed', '1.5'], '--seed takes a whole number, not "1.5"'],
    [['--lanes', 'fast'], '--lanes takes ordered, subscribed, inserts, events, not "fast"'],
    [['--inject', 'tree'], '--inject takes ignore-fence, not "tree"'],
  ] as const) {
    it(`are refused: ${args.join(' ')}`, () => {
      assert.throws(() => parseChaosArguments(args, 5), new UsageError(message));
    });
  }

  it('are refused when there is no such option', () => {
    assert.throws(() => parseChaosArguments(['--fast'], 5), UsageError);
  });
});

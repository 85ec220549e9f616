/** When the watchdog ends a process, and when it does not. What it looks at is tested with processes in test/system/watchdog. */
import assert from 'node:assert/strict';
import { createLogger } from '../../../src/platform/logger.js';
import { StoreCalls } from '../../../src/platform/store-calls.js';
import { Progress, Watchdog } from '../../../src/platform/watchdog.js';

/** The first look sees where the work is, and the following ones that it is still there. */
const LOOKS = 1 + 20;

describe('the watchdog', () => {
  let steps: Progress;
  let maintenance: Progress;
  let answers: boolean;
  let ends: number;
  let watchdog: Watchdog;
  beforeEach(() => {
    [steps, maintenance, answers, ends] = [new Progress(), new Progress(), true, 0];
    watchdog = new Watchdog({
      kinds: [steps, maintenance],
      limitMs: 600_000,
      logger: createLogger('test', 'silent'),
      databaseAnswers: async () => answers,
      end: () => {
        ends++;
      },
    });
  });

  it('ends a process of which no work has come further for the whole limit, and not a look earlier', async () => {
    steps.begin('a step');
    await look(LOOKS - 1);
    assert.equal(ends, 0);
    await look(1);
    assert.equal(ends, 1);
  });

  it('leaves a process alone that has nothing to do', async () => {
    steps.begin('a step')();
    await look(3 * LOOKS);
    assert.equal(ends, 0);
  });

  it('leaves work alone of which some comes further, however long each part takes', async () => {
    steps.begin('an export');
    for (let part = 0; part < 5; part++) {
      await look(LOOKS - 1);
      steps.advance();
    }
    steps.begin('a chunk')();
    await look(LOOKS - 1);
    assert.equal(ends, 0);
  });

  it('leaves work alone while the file store is slow but works', async () => {
    const calls = new StoreCalls();
    steps.begin('an export');
    for (let piece = 0; piece < 5; piece++) {
      await look(LOOKS - 2);
      await calls.run('writing', async () => undefined);
    }
    assert.equal(ends, 0);
  });

  it('says nothing while the database does not answer, and gives work the whole limit when it does', async () => {
    steps.begin('a step');
    await look(LOOKS - 1);
    answers = false;
    await look(3 * LOOKS);
    answers = true;
    await look(LOOKS - 1);
    assert.equal(ends, 0);
    await look(1);
    assert.equal(ends, 1);
  });

  it('judges maintenance by itself, because steps that advance say nothing about it', async () => {
    maintenance.begin('a pass');
    for (let at = 0; at < LOOKS; at++) {
      steps.begin('a step')();
      await look(1);
    }
    assert.equal(ends, 1);
  });

  async function look(times: number): Promise<void> {
    for (let at = 0; at < times && ends === 0; at++) await watchdog.look();
  }
});

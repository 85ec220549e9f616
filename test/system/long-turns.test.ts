/** What a tenant defines and sends is computed in turns of the event loop that are short, so that others are served. */
import assert from 'node:assert/strict';
import { createAccount } from '../../src/domain/access/accounts.js';
import { createToken } from '../../src/domain/access/tokens.js';
import { type AttackerProcess, startAttacker } from '../support/attacks/attacker.js';
import { DEFINITION_ATTACK_NAMES } from '../support/attacks/definition-attacks.js';
import { type OrdinaryWork, prepareOrdinaryWork } from '../support/attacks/ordinary-work.js';
import { LONG_TURN } from '../support/attacks/turn-meter.js';
import { type SystemWorld, startSystemWorld } from '../support/worlds/system-world.js';

describe('no turn of the event loop of web takes long beside', function () {
  this.timeout(120_000);
  let world: SystemWorld;
  let work: OrdinaryWork;
  let attacker: AttackerProcess;
  before(async () => {
    const meter = new URL('../support/attacks/turn-meter.js', import.meta.url).href;
    world = await startSystemWorld({ env: { NODE_OPTIONS: `--import=${meter}`, METERED_TURNS: '1' } });
    work = await prepareOrdinaryWork(await world.newShop());
    attacker = startAttacker();
    await work.run(2);
  });
  after(async () => {
    await attacker?.stop();
    await work?.stop();
    await world?.stop();
  });

  it('the first request for the description of the API, which needs no token', async () => {
    const began = timeOfProcesses();
    const answer = await fetch(`${world.system.baseUrl}/openapi.json`);
    assert.equal(answer.status, 200);
    assert.ok(Object.keys(((await answer.json()) as { paths: object }).paths).length > 100);
    await work.run(1);
    assert.deepEqual(turnsSince(began, 'web'), [], 'web had turns of so many milliseconds');
  });

  for (const attack of DEFINITION_ATTACK_NAMES) {
    it(attack, async () => {
      const { baseUrl } = world.system;
      const { id: account } = await createAccount(world.db, { name: 'attacker' });
      const { token } = await createToken(world.db, { accountId: account, name: 'attacker' });
      await attacker.prepare(attack, { baseUrl, account, token, readerToken: token, strength: 1 });
      // A turn of the preparations may be told only now.
      const began = timeOfProcesses();
      await attacker.begin();
      try {
        await work.run(2);
      } finally {
        await attacker.end();
      }
      const [web, worker] = [turnsSince(began, 'web'), turnsSince(began, 'worker')];
      process.stdout.write(`      turns of more than 50 ms: web ${web}; worker ${worker}\n`);
      assert.deepEqual(web, [], 'web had turns of so many milliseconds');
    });
  }

  /** The long turns of a process that began since a time, in ms. */
  function turnsSince(began: number, name: string): number[] {
    const lines = world.logOf(name).split('\n');
    return lines.flatMap((line) => {
      if (!line.startsWith(LONG_TURN)) return [];
      const [turnMs = Number.NaN, at = Number.NaN] = line.slice(LONG_TURN.length).trim().split(' ').map(Number);
      return at < began ? [] : [turnMs];
    });
  }
});

/** By the same clock as that of the meter. */
function timeOfProcesses(): number {
  return performance.timeOrigin + performance.now();
}

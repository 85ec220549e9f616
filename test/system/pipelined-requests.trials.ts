/** What a client that sends requests without waiting for answers, and reads none, takes from the process and from others. */
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { p95, slowdown } from '../support/attacks/measure-attack.js';
import type { Shop } from '../support/http/shop.js';
import { until } from '../support/until.js';
import { residentBytes } from '../support/worlds/processes.js';
import { type SystemWorld, startSystemWorld } from '../support/worlds/system-world.js';

const PROGRAM = fileURLToPath(new URL('../support/attacks/pipelining-program.js', import.meta.url));
const CONNECTIONS = 100;
/** Of what the process had before. */
const MEMORY_RATIO = 1.5;
const RECOVERED_MS = 10_000;
const IDLE_REQUESTS = 100;
/** Of each connection, before the first attack. */
const ORDINARY_REQUESTS = 25;

interface Trials {
  readonly times: number;
  readonly attackMs: number;
  /** How many times as long the 95th percentile of another client's requests may take; null: it is not judged. */
  readonly slowdown: number | null;
}

export function describePipelining({ times, attackMs, slowdown: most }: Trials): void {
  describe('pipelined requests whose answers nobody reads', function () {
    this.timeout(60_000 + times * 2 * (attackMs + 2 * RECOVERED_MS));
    let world: SystemWorld;
    let victim: Shop;
    let attacker: Shop;

    before(async () => {
      world = await startSystemWorld();
      [victim, attacker] = [await world.newShop(), await world.newShop()];
      // A process that has just begun grows by half under ordinary requests too: an attack is compared with one that has
      // served as many connections whose clients read their answers (171 to 226 MB, where it began with 120).
      for (const shop of [victim, attacker]) {
        await Promise.all(Array.from({ length: CONNECTIONS }, () => requestsOf(shop, ORDINARY_REQUESTS)));
      }
    });
    after(() => world?.stop());

    for (const kind of ['without a token', 'with a token']) {
      it(`${kind} fail no request of others and leave no memory taken${times === 1 ? '' : `, ${times} times`}`, async () => {
        for (let time = 0; time < times; time++) {
          const before = residentBytes(world.pidOf('web'));
          const idle = await requestsOf(victim, IDLE_REQUESTS);
          const args = [world.system.baseUrl, kind === 'with a token' ? attacker.token : ''];
          const program = fork(PROGRAM, [...args, String(CONNECTIONS), String(attackMs)]);
          const ended = once(program, 'exit');
          const attacked: number[] = [];
          for (const endsAt = performance.now() + attackMs; performance.now() < endsAt; ) {
            attacked.push(...(await requestsOf(victim, 1)));
          }
          await ended;
          attacked.push(...(await requestsOf(victim, 10)));
          const ratio = slowdown(p95(attacked), p95(idle));
          const peak = residentBytes(world.pidOf('web'));
          process.stdout.write(
            `        ${attacked.length} requests beside it, p95 ${ratio.toFixed(1)} times; ${mb(before)} → ${mb(peak)} MB\n`,
          );
          if (most !== null) assert.ok(ratio <= most, `${ratio.toFixed(1)} times`);
          const hasRecovered = async () => residentBytes(world.pidOf('web')) <= MEMORY_RATIO * before;
          await until('the memory is free again', hasRecovered, RECOVERED_MS);
        }
      });
    }
  });
}

/** How long each takes, in ms. @throws when one is not answered with 200 */
async function requestsOf(shop: Shop, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let number = 0; number < count; number++) {
    const startedAt = performance.now();
    const { status, text } = await shop.get('/api-product/v1/product?limit=1');
    times.push(performance.now() - startedAt);
    assert.equal(status, 200, text);
  }
  return times;
}

function mb(bytes: number): number {
  return Math.round(bytes / 1_000_000);
}

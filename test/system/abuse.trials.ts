/** While one tenant attacks, everything that another one asks for succeeds, and in time. */
import assert from 'node:assert/strict';
import { createToken } from '../../src/domain/access/authenticate.js';
import { startAttacker } from '../support/attacks/attacker.js';
import { ATTACK_NAMES } from '../support/attacks/attacks.js';
import { type Kind, type OrdinaryWork, prepareOrdinaryWork, type Times } from '../support/attacks/ordinary-work.js';
import { forEachBackend } from '../support/for-each-backend.js';
import { type SystemWorld, startSystemWorld } from '../support/worlds/system-world.js';

const WARM_UP = 20;
/** Below this, the ratio is one of the machine's scheduler. */
const LEAST_IDLE_MS = 10;

export interface AbuseTrials {
  /** How often an idle window and one under attack alternate. */
  readonly windows: number;
  /** How often a window does everything that a tenant ordinarily does. */
  readonly rounds: number;
  /** The ratio of the 95th percentiles. */
  readonly timesAtMost: number;
  /** Undefined: no limit but the ratio. */
  readonly withinMs?: number;
}

export function runAbuseTrials({ windows, rounds, timesAtMost, withinMs }: AbuseTrials): void {
  forEachBackend((backend) => {
    let world: SystemWorld;
    let work: OrdinaryWork;
    before(async () => {
      world = await startSystemWorld({ workers: 1, redisUrl: backend.redisUrl });
      work = await prepareOrdinaryWork(await world.newShop());
      await work.run(WARM_UP);
    });
    after(async () => {
      await work?.stop();
      await world?.stop();
    });

    for (const name of ATTACK_NAMES) {
      it(name, async () => {
        const shop = await world.newShop();
        const scopes = ['catalog:read'];
        const reader = await createToken(world.db, { accountId: shop.account, name: 'reader', scopes });
        const { account, token } = shop;
        const attacker = await startAttacker(name, {
          baseUrl: world.system.baseUrl,
          account,
          token,
          readerToken: reader.token,
        });
        const idle: Times[] = [];
        const attacked: Times[] = [];
        try {
          for (let window = 0; window < windows; window++) {
            idle.push(await work.run(rounds));
            await attacker.begin();
            attacked.push(await work.run(rounds));
            await attacker.end();
          }
        } finally {
          await attacker.stop();
        }
        const figures = Object.entries(p95s(attacked)).map(([kind, ms]) => {
          const alone = p95s(idle)[kind as Kind];
          return { kind, ms, alone, ratio: ms / Math.max(alone, LEAST_IDLE_MS) };
        });
        const shown = figures
          .map(
            ({ kind, ms, alone, ratio }) =>
              `${kind} ${ms.toFixed(0)} ms, idle ${alone.toFixed(0)} ms: ${ratio.toFixed(1)}`,
          )
          .join('; ');
        process.stdout.write(`      ${shown}\n`);
        assert.ok(
          figures.every(({ ratio }) => ratio <= timesAtMost),
          shown,
        );
        assert.ok(
          figures.every(({ ms }) => ms <= (withinMs ?? Number.POSITIVE_INFINITY)),
          shown,
        );
      });
    }
  });
}

function p95s(windows: readonly Times[]): Record<Kind, number> {
  const [first] = windows;
  assert.ok(first !== undefined);
  const kinds = Object.keys(first) as Kind[];
  return Object.fromEntries(kinds.map((kind) => [kind, p95(windows.flatMap((times) => times[kind]))])) as Record<
    Kind,
    number
  >;
}

function p95(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * 0.95) - 1] ?? Number.NaN;
}

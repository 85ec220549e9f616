/** While one tenant attacks, everything that another one asks for succeeds, and in time. */
import assert from 'node:assert/strict';
import { type AttackerProcess, startAttacker } from '../support/attacks/attacker.js';
import { ATTACK_NAMES, type AttackName } from '../support/attacks/attacks.js';
import { CONNECTION_ATTACK_NAMES } from '../support/attacks/connection-attacks.js';
import { SLOW_READERS } from '../support/attacks/feed-attacks.js';
import { measureAttack, p95, slowdown } from '../support/attacks/measure-attack.js';
import { type OrdinaryWork, prepareOrdinaryWork } from '../support/attacks/ordinary-work.js';
import { forEachBackend, onOneBackend } from '../support/for-each-backend.js';
import { until } from '../support/until.js';
import { residentBytes } from '../support/worlds/processes.js';
import { type SystemWorld, startSystemWorld } from '../support/worlds/system-world.js';

interface AbuseTrials {
  readonly warmUp: number;
  /** How often a window without the attack and one with it alternate. */
  readonly windows: number;
  /** How often a window does everything that a tenant ordinarily does. */
  readonly rounds: number;
  /** Which part of its numbers an attack has; 1 is all of it. */
  readonly strength: number;
  /** The ratio of the 95th percentiles with an attack and without it; undefined: it is not judged. */
  readonly timesAtMost?: (attack: AttackName) => number;
  /** Whether it is tried on each engine of the queues, or on one. */
  readonly onEach: boolean;
}

/** Attacks by connections leave at most so many times the memory taken that the web process had before. */
const MEMORY_RATIO = 1.5;
const MEMORY_RETURNS_MS = 10_000;
const byConnections = new Set<AttackName>([...CONNECTION_ATTACK_NAMES, SLOW_READERS]);

async function memoryReturns(pid: number, before: number): Promise<void> {
  const atEnd = residentBytes(pid);
  process.stdout.write(`      memory of web: ${mebibytes(before)} MiB before, ${mebibytes(atEnd)} at the end\n`);
  if (Number.isNaN(before)) return;
  await until('its memory is free again', () => residentBytes(pid) <= MEMORY_RATIO * before, MEMORY_RETURNS_MS);
}

function mebibytes(bytes: number): number {
  return Math.round(bytes / 1_048_576);
}

export function runAbuseTrials({ warmUp, timesAtMost, onEach, ...windows }: AbuseTrials): void {
  (onEach ? forEachBackend : onOneBackend)((backend) => {
    let world: SystemWorld;
    let work: OrdinaryWork;
    let attacker: AttackerProcess;
    before(async () => {
      world = await startSystemWorld({ workers: 1, redisUrl: backend.redisUrl });
      work = await prepareOrdinaryWork(await world.newShop());
      attacker = startAttacker();
      await work.run(warmUp);
    });
    after(async () => {
      await attacker?.stop();
      await work?.stop();
      await world?.stop();
    });

    for (const attack of ATTACK_NAMES) {
      it(attack, async () => {
        const target = { baseUrl: world.system.baseUrl, db: world.db, attacker };
        const before = residentBytes(world.pidOf('web'));
        const measured = await measureAttack(attack, target, work, { ...windows, compares: timesAtMost !== undefined });
        if (byConnections.has(attack)) await memoryReturns(world.pidOf('web'), before);
        if (timesAtMost === undefined) return;
        const ratios = measured.map(({ kind, idle, attacked }) => {
          const [alone, beside] = [p95(idle.flat()), p95(attacked.flat())];
          const ratio = slowdown(beside, alone);
          return { ratio, shown: `${kind} ${beside.toFixed(0)} ms, idle ${alone.toFixed(0)} ms: ${ratio.toFixed(1)}` };
        });
        const shown = ratios.map((one) => one.shown).join('; ');
        process.stdout.write(`      ${shown}\n`);
        assert.ok(
          ratios.every(({ ratio }) => ratio <= timesAtMost(attack)),
          shown,
        );
      });
    }
  });
}

/** How long the requests of one tenant take while another attacks, and on the same system while nobody does. */
import type { Db } from '../../../db/connection.js';
import { createAccount } from '../../../src/domain/access/accounts.js';
import { createToken } from '../../../src/domain/access/tokens.js';
import type { AttackerProcess } from './attacker.js';
import type { AttackName } from './attacks.js';
import type { Kind, OrdinaryWork, Times } from './ordinary-work.js';

interface Windows {
  /** How often a window without the attack and one with it alternate. */
  readonly windows: number;
  /** How often a window does everything that a tenant ordinarily does. */
  readonly rounds: number;
  /** Which part of its numbers an attack has. Default: 1, all of it. */
  readonly strength?: number;
  /** Whether it is measured without the attack, too. Default: yes. */
  readonly compares?: boolean;
}

/** What is attacked, and from where. */
interface Target {
  readonly baseUrl: string;
  readonly db: Db;
  readonly attacker: AttackerProcess;
}

/** The times of requests of one kind, in ms, by window. */
interface MeasuredKind {
  readonly kind: Kind;
  readonly idle: readonly (readonly number[])[];
  readonly attacked: readonly (readonly number[])[];
}

/** @throws when a request of the tenant does not succeed, or when the attack cannot begin */
export async function measureAttack(
  attack: AttackName,
  { baseUrl, db, attacker }: Target,
  work: OrdinaryWork,
  { windows, rounds, strength = 1, compares = true }: Windows,
): Promise<MeasuredKind[]> {
  const { id: account } = await createAccount(db, { name: 'attacker' });
  const { token } = await createToken(db, { accountId: account, name: 'attacker' });
  const reader = await createToken(db, { accountId: account, name: 'reader', scopes: ['catalog:read'] });
  await attacker.prepare(attack, { baseUrl, account, token, readerToken: reader.token, strength });
  const idle: Times[] = [];
  const attacked: Times[] = [];
  for (let window = 0; window < windows; window++) {
    if (compares) idle.push(await work.run(rounds));
    await attacker.begin();
    let ending: Promise<void> | undefined;
    try {
      const during = await work.run(rounds);
      // To hang up thousands of connections at the same moment is a part of the attack, too.
      ending = attacker.end();
      attacked.push(both(during, await work.run(1)));
    } finally {
      await (ending ?? attacker.end());
    }
  }
  const kinds = Object.keys(attacked[0] ?? {}) as Kind[];
  return kinds.map((kind) => ({
    kind,
    idle: idle.map((times) => times[kind]),
    attacked: attacked.map((times) => times[kind]),
  }));
}

function both(some: Times, others: Times): Times {
  const kinds = Object.entries(some) as [Kind, number[]][];
  return Object.fromEntries(kinds.map(([kind, times]) => [kind, [...times, ...others[kind]]])) as Record<
    Kind,
    number[]
  >;
}

/** Below this, in ms, a ratio is one of the machine's scheduler. */
const LEAST_IDLE_MS = 10;

/** How many times as long a request takes under attack. */
export function slowdown(attackedMs: number, idleMs: number): number {
  return attackedMs / Math.max(idleMs, LEAST_IDLE_MS);
}

/** The 95th percentile. */
export function p95(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * 0.95) - 1] ?? Number.NaN;
}

/** How long the requests of one tenant take while another attacks, beside the same with nobody attacking. */
import { connectDb } from '../../db/connection.js';
import { createAccount } from '../../src/domain/access/accounts.js';
import { createToken } from '../../src/domain/access/tokens.js';
import { startAttacker } from '../../test/support/attacks/attacker.js';
import { ATTACK_NAMES } from '../../test/support/attacks/attacks.js';
import { measureAttack, p95, slowdown } from '../../test/support/attacks/measure-attack.js';
import { prepareOrdinaryWork } from '../../test/support/attacks/ordinary-work.js';
import { Shop } from '../../test/support/http/shop.js';
import { atMost, type Benchmark, type BenchmarkResult } from '../benchmark.js';
import { resultOf } from '../measure/result.js';
import { withWorld } from '../world/with-world.js';

const NAME = 'abuse';
/** The requests name the account; nothing looks behind the API. */
const NO_SITE = 0;
const RUNS = 3;
const ROUNDS = 20;
const QUICK_RUNS = 1;
const QUICK_ROUNDS = 5;
/** Of its numbers: to begin and end thousands of connections would take most of a quick run. */
const QUICK_STRENGTH = 0.1;

export const abuse: Benchmark = {
  name: NAME,
  run: (options) =>
    withWorld(options, async ({ system, memory }): Promise<BenchmarkResult[]> => {
      const { quick, rows: rounds = quick ? QUICK_ROUNDS : ROUNDS, runs = quick ? QUICK_RUNS : RUNS, say } = options;
      const strength = quick ? QUICK_STRENGTH : 1;
      const { baseUrl } = system;
      const db = connectDb({ url: system.databaseUrl, poolMax: 1, name: 'longshore-bench' });
      const { id } = await createAccount(db, { name: 'The other tenant' });
      const { token } = await createToken(db, { accountId: id, name: 'bench' });
      const api = { fetch: (path: string, init?: RequestInit) => fetch(`${baseUrl}${path}`, init) };
      const work = await prepareOrdinaryWork(new Shop(api, id, token, NO_SITE));
      const attacker = startAttacker();
      try {
        await work.run(rounds);
        const results: BenchmarkResult[] = [];
        for (const attack of ATTACK_NAMES) {
          const measured = await measureAttack(attack, { baseUrl, db, attacker }, work, {
            ...{ windows: runs, rounds, strength },
          });
          const all = measured.map(({ kind, idle, attacked }) => {
            const what = `p95 of ${kind}: ${strength === 1 ? '' : `${strength} × `}${attack}`;
            const aim = atMost(3);
            const peaks = memory.peaks();
            const figures = attacked.map(p95);
            return resultOf(options, { name: NAME, what, unit: 'ms', aim, figures, references: idle.map(p95), peaks });
          });
          const ratioOf = ({ figure, reference }: BenchmarkResult) => slowdown(figure, reference ?? Number.NaN);
          const worst = all.reduce((a, b) => (ratioOf(b) > ratioOf(a) ? b : a));
          say(`${NAME}: ${worst.what}: ${ratioOf(worst).toFixed(1)} times`);
          results.push(worst);
        }
        return results;
      } finally {
        await attacker.stop();
        await work.stop();
        await db.destroy();
      }
    }),
};

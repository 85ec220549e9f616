/** How late the deliveries to healthy endpoints are while one of twenty hangs, beside the same with none hanging. */
import type { Benchmark, BenchmarkResult } from '../benchmark.js';
import { resultOf } from '../measure/result.js';
import { percentile } from '../measure/statistics.js';
import { startChild } from '../reference/child-program.js';
import type { World } from '../world/start-world.js';
import { emitEvents, emptyEvents, makeDefinitions, manyDelivered } from '../world/webhooks.js';
import { withWorld } from '../world/with-world.js';

const NAME = 'fairness';
const RECEIVER = new URL('../reference/bare-receiver.js', import.meta.url);
const ENDPOINTS = 20;
const HANGING = '/hanging';
const EVENTS = 300;
const RUNS = 3;
const QUICK_EVENTS = 60;
const QUICK_RUNS = 1;

export const fairness: Benchmark = {
  name: NAME,
  run: (options) =>
    withWorld(options, async (world): Promise<BenchmarkResult[]> => {
      const { quick, rows = quick ? QUICK_EVENTS : EVENTS, runs = quick ? QUICK_RUNS : RUNS, say } = options;
      const receiver = startChild<{ port: number }>(RECEIVER, [HANGING]);
      try {
        const { port } = await receiver.message(() => true);
        const healthy = Array.from({ length: ENDPOINTS - 1 }, (_, index) => `/endpoint/${index}`);
        await makeDefinitions(world.client, port, [...healthy, '/twentieth', HANGING]);
        const figures: number[] = [];
        const references: number[] = [];
        for (let run = 0; run <= runs; run++) {
          const calm = await lagOf(world, rows, '/twentieth');
          const beside = await lagOf(world, rows, HANGING);
          say(`${NAME}: p99 lag ${Math.round(beside)} ms with one hanging, ${Math.round(calm)} ms with none`);
          // The first run warms the processes up.
          if (run === 0) continue;
          figures.push(beside);
          references.push(calm);
        }
        const what = `p99 lag, 1 of ${ENDPOINTS} endpoints hanging, ${rows} events`;
        const aim = { value: 2, is: 'at most' } as const;
        const common = { name: NAME, what, unit: 'ms', aim, peaks: world.memory.peaks() };
        return [resultOf(options, { ...common, figures, references })];
      } finally {
        await receiver.stop();
      }
    }),
};

/** @param twentieth whom the events go to besides the healthy @returns the 99th percentile of the lags of the healthy, in ms */
async function lagOf({ client, db }: World, events: number, twentieth: string): Promise<number> {
  await emptyEvents(db);
  const off = twentieth === HANGING ? '/twentieth' : HANGING;
  await db.query(
    "UPDATE webhook_definition SET status = CASE WHEN target LIKE '%' || $1 THEN 'DISABLED' ELSE 'ACTIVE' END",
    [off],
  );
  await db.query(
    'UPDATE endpoint_health SET failure_streak = 0, open_until = NULL, openings = 0, window_began_at = NULL',
  );
  await emitEvents(client, events);
  await manyDelivered(db, events * (ENDPOINTS - 1), '%/endpoint/%');
  const { rows } = await db.query<{ lag: number }>(
    `SELECT 1000 * extract(epoch FROM delivery.completed_at - delivery.created_at)::double precision AS lag
     FROM delivery JOIN webhook_definition AS definition ON definition.id = delivery.definition_id
     WHERE definition.target LIKE '%/endpoint/%'`,
  );
  return percentile(
    rows.map(({ lag }) => lag),
    99,
  );
}

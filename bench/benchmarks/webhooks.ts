/** How many deliveries go out in a second, each signed, judged and recorded, beside undici in a loop. */
import type { Benchmark, BenchmarkResult } from '../benchmark.js';
import { alternate } from '../measure/alternate.js';
import { resultOf } from '../measure/result.js';
import { startChild } from '../reference/child-program.js';
import type { World } from '../world/start-world.js';
import { allDelivered, EVENT_BODY, emitEvents, emptyEvents, makeDefinitions } from '../world/webhooks.js';
import { withWorld } from '../world/with-world.js';

const NAME = 'webhooks';
const RECEIVER = new URL('../reference/bare-receiver.js', import.meta.url);
const LOOP = new URL('../reference/undici-loop.js', import.meta.url);
const FAN_OUT = 10;
const EVENTS = 2_000;
const RUNS = 3;
const QUICK_EVENTS = 200;
const QUICK_RUNS = 1;
/** As many as the service has under way to ten endpoints. */
const CONCURRENCY = 50;
const AIMS = { pg: null, redis: { value: 0.4, is: 'at least' } } as const;

export const webhooks: Benchmark = {
  name: NAME,
  run: (options) =>
    withWorld(options, async (world): Promise<BenchmarkResult[]> => {
      const { backend, quick, rows = quick ? QUICK_EVENTS : EVENTS, runs = quick ? QUICK_RUNS : RUNS, say } = options;
      const receiver = startChild<{ port: number }>(RECEIVER, []);
      try {
        const { port } = await receiver.message(() => true);
        const paths = Array.from({ length: FAN_OUT }, (_, index) => `/endpoint/${index}`);
        await makeDefinitions(world.client, port, paths);
        const ours = async () => {
          const rate = await world.profiled(() => deliver(world, rows));
          say(`${NAME}: ${Math.round(rate)} deliveries/s`);
          return rate;
        };
        const theirs = async () => {
          const rate = await loop(`http://127.0.0.1:${port}/endpoint/0`, rows * FAN_OUT);
          say(`${NAME}: undici in a loop ${Math.round(rate)} requests/s`);
          return rate;
        };
        await ours();
        const measured = await alternate(runs, ours, theirs);
        const what = `${rows.toLocaleString('en')} events, ${FAN_OUT} endpoints`;
        const common = { name: NAME, what, unit: 'deliveries/s', aim: AIMS[backend], peaks: world.memory.peaks() };
        return [resultOf(options, { ...common, ...measured })];
      } finally {
        await receiver.stop();
      }
    }),
};

/**
 * The events are accepted first, while the worker stands still: what a request takes is measured by `accept`.
 * @returns deliveries a second, from when the worker may go on until the last delivery is recorded
 */
async function deliver({ client, db, system }: World, events: number): Promise<number> {
  await emptyEvents(db);
  system.kill('worker', 'SIGSTOP');
  await emitEvents(client, events);
  const start = performance.now();
  system.kill('worker', 'SIGCONT');
  await allDelivered(db, events * FAN_OUT);
  return (events * FAN_OUT) / ((performance.now() - start) / 1000);
}

async function loop(target: string, count: number): Promise<number> {
  const child = startChild<{ perSecond: number }>(LOOP, [target, String(count), String(CONCURRENCY), EVENT_BODY]);
  try {
    return (await child.message(() => true)).perSecond;
  } finally {
    await child.stop();
  }
}

/** Kills worker processes in the middle of a job, at moments that its progress decides. */
import assert from 'node:assert/strict';
import { sendSignal } from '../../../src/launcher/process-table.js';
import { pick } from '../models/random.js';
import { until } from '../until.js';
import type { SystemWorld } from '../worlds/system-world.js';

const WITHIN_MS = 60_000;
/** The share of a job after which no worker is killed: what is left must take longer than to notice it. */
const LATEST = 0.85;
/** How often the progress is looked at: the last moments of a job are short. */
const LOOK_EVERY_MS = 20;

/**
 * Kills one worker at a time, the first while the job is planned, the others at random shares of its chunks.
 * @returns the pids that were killed
 */
export async function killDuring(
  world: SystemWorld,
  jobId: string,
  kills: number,
  random: () => number,
): Promise<number[]> {
  const moments = Array.from({ length: kills - 1 }, () => random() * LATEST).sort((a, b) => a - b);
  const killed: number[] = [];
  for (const share of [-1, ...moments]) {
    await until(
      `the job is ${Math.round(share * 100)} % done`,
      async () => (await progress(world, jobId)) >= share,
      WITHIN_MS,
      LOOK_EVERY_MS,
    );
    assert.ok((await progress(world, jobId)) < 2, `the job ended before kill ${killed.length + 1} of ${kills}`);
    killed.push(await killOne(world, random));
  }
  return killed;
}

/** -2: not begun, -1: being planned, 0 to 1: the share of its chunks that are done, 2: ended. */
async function progress({ db }: SystemWorld, jobId: string): Promise<number> {
  const job = await db('job').where({ id: jobId }).first('started_at', 'step', 'completed_at');
  if (job.completed_at !== null) return 2;
  if (job.started_at === null) return -2;
  if (job.step === 'plan') return -1;
  const chunks = await db('job_chunk')
    .where({ job_id: jobId })
    .first(db.raw("count(*)::integer AS total, count(*) FILTER (WHERE status = 'done')::integer AS done"));
  return chunks.done / chunks.total;
}

/** Kills one of the workers that run. @returns its pid */
export async function killOne(world: SystemWorld, random: () => number): Promise<number> {
  const running = () => world.workers().filter((name) => pidOf(world, name) !== undefined);
  await until('a worker runs', () => running().length > 0, WITHIN_MS);
  const name = pick(random, running());
  const pid = world.pidOf(name);
  sendSignal(pid, 'SIGKILL');
  await until(`${name} has ended`, () => pidOf(world, name) !== pid, WITHIN_MS);
  return pid;
}

function pidOf(world: SystemWorld, name: string): number | undefined {
  return world.system.processes.find((process) => process.name === name)?.pid;
}

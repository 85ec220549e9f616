/** Worker processes on the database, queue and files of a world. */
import type { WorkerGroup } from '../../../src/workers/start-workers.js';
import { type RunningProgram, runProgram } from './run-program.js';
import type { World } from './world.js';

/**
 * Starts a worker process and waits until it is ready. To be killed in `afterEach`.
 * @param groups what it serves; empty: everything
 */
export async function startWorkerProcess(
  { api }: World,
  environment: Readonly<Record<string, string>> = {},
  groups: readonly WorkerGroup[] = [],
): Promise<RunningProgram> {
  const program = runProgram('app/workers/main.js', groups, {
    ...api.environment,
    ...environment,
  });
  await program.said(/"msg":"ready"/);
  return program;
}

/** Has a file inspected as a client does: announced and held, uploaded, asked about until the answer is there. */
import { createReadStream, statSync } from 'node:fs';
import { basename } from 'node:path';
import type { World } from './start-world.js';

interface Announced {
  readonly id: string;
  readonly jobId: string;
  readonly location: string;
}

export interface HeldFile {
  readonly id: string;
  /** The job that waits for its options. */
  readonly jobId: string;
}

/** The name under which the file is announced says its format. */
export async function uploadHeld({ client }: Pick<World, 'client'>, path: string): Promise<HeldFile> {
  const body = JSON.stringify({ fileName: basename(path), fileType: 'ITEM_IMPORT', hold: true });
  const announced = await client.postText<Announced>('/files/product', body);
  await client.put(announced.location, createReadStream(path, { highWaterMark: 1 << 20 }), statSync(path).size);
  return announced;
}

export interface Inspected {
  /** From the first question to the answer. */
  readonly seconds: number;
  readonly rows: number;
  readonly columns: number;
}

/** Asks for the first time, which starts the job, waits for its end and asks again. */
export async function inspectHeld({ client }: Pick<World, 'client'>, { id }: HeldFile): Promise<Inspected> {
  const start = performance.now();
  let answer = await client.typed.inspectFile({ id });
  while ('jobId' in answer) {
    await client.jobEnd(answer.jobId);
    answer = await client.typed.inspectFile({ id });
  }
  const { rows, columns } = answer.inspection;
  return { seconds: (performance.now() - start) / 1000, rows, columns: columns.length };
}

/** What was held is not needed any more: its job would wait until it expires. */
export async function dropHeld({ client }: Pick<World, 'client'>, { jobId }: HeldFile): Promise<void> {
  await client.typed.cancelJob({ id: jobId });
}

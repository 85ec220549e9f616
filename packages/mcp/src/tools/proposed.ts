/** What a tool answers that has proposed something: its job, and what this would change. */
import type { Job } from '@longshore/client';
import { z } from 'zod';
import { AWAITING_APPROVAL } from '../approval.js';
import { known } from '../paging.js';
import { settledJob } from '../settle.js';
import { smallPage } from '../small.js';
import type { Answer, Call } from '../tool.js';
import { summaryOf } from './jobs.js';
import { shownChange } from './shown-change.js';
import { stateOf, wholeJob } from './shown-job.js';

const FIRST_CHANGES = 10;
const row = z.looseObject({});

export const proposedOutput = z.object({
  job: row,
  changes: row.optional().describe('A summary of what it would change'),
  preview: z.array(row).describe('The first changes; job_changes has all of them'),
});

/** @throws LongshoreError */
export async function proposed(call: Call, jobId: string): Promise<Answer<z.input<typeof proposedOutput>>> {
  const job = await settledJob(call, jobId);
  const changes = await summaryOf(call.api, job, call.signal);
  const preview = changes === undefined ? [] : await firstChanges(call, job);
  const text = job.completedAt === null ? stateOf(job) : `${stateOf(job)} There is nothing to approve.`;
  return { text, data: { job: wholeJob(job), ...known({ changes }), preview } };
}

async function firstChanges({ api, signal }: Call, { id, status }: Job): Promise<Record<string, unknown>[]> {
  if (status !== AWAITING_APPROVAL) return [];
  const { rows } = await smallPage(FIRST_CHANGES, async (limit) => {
    const { data, next } = await api.listJobChanges({ id, limit }, { signal });
    return { rows: data.map(shownChange), next };
  });
  return [...rows];
}

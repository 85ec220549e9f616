/** Reads what the page of one job shows. */
import { livingIds, processes } from '../read/fleet.js';
import { jobDetails } from '../read/job-details.js';
import { readQueue } from '../read/queue-work.js';
import { reading } from '../read/reading.js';
import type { Html } from '../view/html.js';
import { jobPage } from '../view/job-page.js';
import type { Asking } from './request.js';

export async function showJob({ db, producer, id, now, forms }: Asking): Promise<Html> {
  const details = await reading(db, async (trx) => ({
    ...(await jobDetails(trx, id)),
    living: livingIds(await processes(trx)),
  }));
  return jobPage({ ...details, queue: await readQueue(producer, db), now, forms });
}

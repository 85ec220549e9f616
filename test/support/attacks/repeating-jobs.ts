/** An attack that begins one job after the other, and waits for the end of each. */
import type { Shop } from '../http/shop.js';
import { untilEnded } from '../http/until-ended.js';
import type { Attack } from './attack.js';
import { repeating } from './repeating.js';

/**
 * Has so many jobs at once. Those that are under way when the attack ends are cancelled: the system makes some of them
 * wait, so that their results would be long in coming.
 * @param send begins a job and returns its id
 */
export function repeatingJobs(atOnce: number, shop: Shop, send: () => Promise<string>): Attack {
  const jobs = new Set<string>();
  let ending = false;
  const cancel = (jobId: string) => shop.call('POST', `/jobs/${jobId}/actions/cancel`);
  const { begin, end } = repeating(atOnce, async () => {
    const jobId = await send();
    jobs.add(jobId);
    try {
      if (ending) await cancel(jobId);
      await untilEnded(shop, jobId);
    } finally {
      jobs.delete(jobId);
    }
  });
  return {
    begin: () => {
      ending = false;
      return begin();
    },
    end: async () => {
      ending = true;
      const ended = end();
      await Promise.all(Array.from(jobs, cancel));
      await ended;
    },
  };
}

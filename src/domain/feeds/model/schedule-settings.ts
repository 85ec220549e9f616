/** A schedule as it is sent. */
import { z } from 'zod';
import { type Schedule, scheduleProblem } from './schedule.js';

export const scheduleSchema = z
  .strictObject({
    cron: z
      .string()
      .max(200)
      .optional()
      .meta({ description: 'Five parts: minute, hour, day of the month, month, day of the week' }),
    timeZone: z.string().max(100).optional().meta({ description: 'Of cron: a name such as Europe/Berlin' }),
    everySeconds: z.int().min(15).max(3_600).optional().meta({
      description: 'In place of cron: it is looked at so often, and runs only when something new has arrived',
    }),
  })
  .transform(({ cron, timeZone, everySeconds }, context): Schedule => {
    const problem = (member: string, message: string) => {
      context.addIssue({ code: 'custom', path: [member], message });
      return z.NEVER;
    };
    if (everySeconds !== undefined) {
      if (cron === undefined && timeZone === undefined) return { everySeconds };
      return problem('everySeconds', 'does not belong to a schedule with cron: leave cron and timeZone out, or this');
    }
    if (cron === undefined) return problem('cron', 'is missing: give cron and timeZone, or everySeconds');
    if (timeZone === undefined) return problem('timeZone', 'is missing: cron needs it, such as Europe/Berlin or UTC');
    const wrong = scheduleProblem({ cron, timeZone });
    return wrong === null ? { cron, timeZone } : problem(wrong.member, wrong.message);
  });

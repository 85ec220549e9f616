/** How requests name a job. */
import { z } from 'zod';

export const jobParams = z.object({ id: z.string() });

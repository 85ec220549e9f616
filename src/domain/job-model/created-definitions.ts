/** How many definitions a job has created for its rows. */
import { z } from 'zod';

export const createdDefinitions = z
  .object({
    attributes: z.int(),
    options: z.int(),
    categories: z.int(),
    assignments: z.int(),
  })
  .readonly();

/** The schema of the contacts in a payload. They are removed when a document is erased. */
import { z } from 'zod';

export const contacts = z.array(
  z.strictObject({
    name: z
      .strictObject({ first: z.string().optional(), middle: z.string().optional(), last: z.string().optional() })
      .optional(),
    email: z.string().optional(),
    phone: z.strictObject({ number: z.string(), type: z.enum(['MOBILE', 'HOME', 'BUSINESS']).optional() }).optional(),
  }),
);

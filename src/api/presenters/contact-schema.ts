/** A contact as the API shows it. */
import { z } from 'zod';

export const contactSchema = z.object({
  name: z
    .object({ first: z.string().optional(), middle: z.string().optional(), last: z.string().optional() })
    .optional(),
  email: z.string().optional(),
  phone: z.object({ number: z.string(), type: z.enum(['MOBILE', 'HOME', 'BUSINESS']).optional() }).optional(),
});

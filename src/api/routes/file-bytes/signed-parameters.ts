/** The parameters of signed addresses. */
import { z } from 'zod';

export const signedParams = z.object({ fileId: z.string() });

/** The schema accepts every value, because only the signature decides: a missing or malformed one is a forgery. */
export const signedQuery = z.strictObject({ expires: z.string().catch(''), signature: z.string().catch('') });

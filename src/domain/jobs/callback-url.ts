/** The address that is called when a job has ended. */
import { z } from 'zod';
import { EXPECTED_WEB_ADDRESS, isWebAddress, MAX_WEB_ADDRESS_CHARACTERS } from '../kernel/web-address.js';

/** Where it leads is to be checked as well (src/api/check-targets.ts), now and at each call. */
export const callbackUrlSchema = z
  .string()
  .max(MAX_WEB_ADDRESS_CHARACTERS)
  .refine(isWebAddress, EXPECTED_WEB_ADDRESS)
  .meta({ description: "Called by POST when the job has ended, in whatever way; signed with your account's secret" });

/** What the plan of any job with chunks contains. */
import { z } from 'zod';
import { CHUNK_PLAN } from '../../job-model/job-type.js';

export const chunkPlan = z.object(CHUNK_PLAN);
export type ChunkPlan = z.output<typeof chunkPlan>;

/** A stage for this play alone: each is a data set of its own, so the demo can be played again and again. */
import { type ApiAccess, ApiClient } from './api-client.js';

/** The first of demo-1, demo-2, … in which nothing was ever done. */
export async function chooseStage(access: Omit<ApiAccess, 'stage'>): Promise<string> {
  for (let number = 1; ; number++) {
    const stage = `demo-${number}`;
    if (await isUntouched(new ApiClient({ ...access, stage }))) return stage;
  }
}

async function isUntouched(api: ApiClient): Promise<boolean> {
  const jobs = await api.get<{ count: number }>('/jobs/product', { limit: 1 });
  // Old jobs are cleared away; what they made stays.
  const attributes = await api.get<{ count: number }>('/api-product/v1/product/attribute', { limit: 1 });
  return jobs.count === 0 && attributes.count === 0;
}

/** Chooses an empty stage. Each stage is a separate data set, so that the demo can run any number of times. */
import { type ApiAccess, ApiClient } from './api-client.js';

/** The first of demo-1, demo-2, … that was never used. */
export async function chooseStage(access: Omit<ApiAccess, 'stage'>): Promise<string> {
  for (let number = 1; ; number++) {
    const stage = `demo-${number}`;
    if (await isUntouched(new ApiClient({ ...access, stage }))) return stage;
  }
}

async function isUntouched(api: ApiClient): Promise<boolean> {
  const jobs = await api.get<{ count: number }>('/jobs/product', { limit: 1 });
  // Old jobs are deleted, but their attributes stay.
  const attributes = await api.get<{ count: number }>('/api-product/v1/product/attribute', { limit: 1 });
  return jobs.count === 0 && attributes.count === 0;
}

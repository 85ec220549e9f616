/** Chooses an empty stage. Each stage is a separate data set, so that the demo can run any number of times. */
import type { LongshoreClient } from '@longshore/client';

/** The first of demo-1, demo-2, … that was never used. */
export async function chooseStage(client: LongshoreClient): Promise<string> {
  for (let number = 1; ; number++) {
    const stage = `demo-${number}`;
    if (await isUntouched(client.at({ stage }))) return stage;
  }
}

async function isUntouched(api: LongshoreClient): Promise<boolean> {
  const jobs = await api.listJobs({ limit: 1 });
  // Old jobs are deleted, but their attributes stay.
  const attributes = await api.listAttributes({ limit: 1 });
  return jobs.count === 0 && attributes.count === 0;
}

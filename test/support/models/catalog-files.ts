/** A stage as its exports have it, for comparing it byte for byte with what it was. */

import { exportText } from '../http/exporting.js';
import type { Shop } from '../http/shop.js';
import { until } from '../until.js';

/** The text of each export of the catalog. */
export async function catalogFiles(shop: Shop): Promise<Readonly<Record<string, string>>> {
  const [attributes = '', categories = '', items = '', bundles = ''] = await Promise.all(
    (['attribute', 'category', 'product', 'bundle'] as const).map((entity) => exportText(shop, { entity })),
  );
  return { attributes, categories, items, bundles };
}

/** Waits for the jobs that follow from others, such as those that update the status of items. */
export async function untilQuiet(shop: Shop): Promise<void> {
  const isQuiet = async () => {
    const { data } = await shop.ask('GET', '/jobs/product?type=ITEM_STATUS_UPDATE&limit=100');
    return data.every(({ completedAt }: { completedAt: string | null }) => completedAt !== null);
  };
  await until('no status job is open', isQuiet, 60_000);
}

/** In the end: reads the totals back from the API, and holds them against what must be there. */
import type { ApiClient } from './api-client.js';
import type { MadeCategory } from './build-categories.js';
import { expectEqual } from './expect-equal.js';
import type { Job } from './jobs.js';
import type { SampleCatalog, Totals } from './sample-catalog.js';

/** What the API says is there. */
export interface ReadBack extends Totals {
  readonly attributes: number;
  readonly categories: number;
  readonly jobs: number;
  /** Catalog rows in all jobs. */
  readonly rows: number;
  readonly onSale: number;
}

const PRODUCT = '/api-product/v1/product';

interface List {
  readonly count: number;
}

/** @throws Mismatch when anything is not as examples/expected.json says */
export async function readBack(
  api: ApiClient,
  catalog: SampleCatalog,
  tops: readonly MadeCategory[],
  saleNodeIds: readonly number[],
): Promise<ReadBack> {
  const { expected, categories } = catalog;
  const totals = await readTotals(api);
  const { byCategory, ...expectedTotals } = expected.afterMending;
  expectEqual('items after mending', totals, expectedTotals);
  for (const { nodeId, node } of tops) {
    expectEqual(`items in ${node.name}`, await countOf(api, PRODUCT, { nodeId }), byCategory[node.name]);
  }
  let onSale = 0;
  for (const [index, { name, skus }] of categories.alternate.children.entries()) {
    const found = await countOf(api, PRODUCT, { nodeId: saleNodeIds[index] ?? 0 });
    expectEqual(`items in "${name}"`, found, skus.length);
    onSale += found;
  }
  await checkShowcase(api, catalog);
  const attributes = await countOf(api, `${PRODUCT}/attribute`);
  expectEqual('attributes', attributes, expected.attributes);
  const inTree = await countOf(api, '/api-category/v1/category', { type: 'PRIMARY' });
  expectEqual('categories of the primary tree', inTree, expected.categories);
  return { ...totals, onSale, attributes, categories: inTree, ...(await readJobs(api)) };
}

export async function readTotals(api: ApiClient): Promise<Totals> {
  return {
    items: await countOf(api, PRODUCT),
    live: await countOf(api, PRODUCT, { status: 'LIVE' }),
    draft: await countOf(api, PRODUCT, { status: 'DRAFT' }),
  };
}

/** The item that is most easily damaged on its way must have come through whole. */
async function checkShowcase(api: ApiClient, { expected: { showcase } }: SampleCatalog): Promise<void> {
  const item = await api.get<{ attributes: Record<string, unknown> }>(`${PRODUCT}/${encodeURIComponent(showcase.sku)}`);
  for (const [name, value] of Object.entries(showcase.attributes)) {
    expectEqual(`${name} of ${showcase.sku}`, item.attributes[name], value);
  }
}

async function readJobs(api: ApiClient): Promise<Pick<ReadBack, 'jobs' | 'rows'>> {
  const { data, count } = await api.get<List & { data: Job[] }>('/jobs/product', { limit: 100 });
  const items = data.filter(({ type }) => type.startsWith('ITEM') && type !== 'ITEM_EXPORT');
  return { jobs: count, rows: items.reduce((sum, job) => sum + (job.progressTracker.totalCount ?? 0), 0) };
}

async function countOf(
  api: ApiClient,
  path: string,
  query: Readonly<Record<string, string | number>> = {},
): Promise<number> {
  return (await api.get<List>(path, { ...query, limit: 1 })).count;
}

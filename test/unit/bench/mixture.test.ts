import assert from 'node:assert/strict';
import { type ApiClient, openClient } from '../../../bench/world/api-client.js';
import { MIXTURE_SITES, mixtureOf } from '../../../bench/world/mixture.js';
import { insertOf, upsertOf } from '../../../bench/world/small-jobs.js';

describe('the load of small jobs', () => {
  const client = openClient({ baseUrl: 'http://127.0.0.1:9', account: 'a', token: 't' });
  const sites = Array.from({ length: MIXTURE_SITES }, (_, index) => client.atStage(`site-${index}`));
  after(() => client.destroy());

  it('is a third inserts into one site, a third upserts of another, a third inserts over 200', () => {
    const requests = mixtureOf(sites, 1_200, 0);
    const counts = new Map<ApiClient, number>();
    for (const request of requests) counts.set(request.client, (counts.get(request.client) ?? 0) + 1);
    assert.deepEqual(
      sites.map((site) => counts.get(site)),
      [400, 400, ...Array.from({ length: 200 }, () => 2)],
    );
    const upserts = requests.filter(({ path }) => path.endsWith('/upsert'));
    assert.ok(upserts.length === 400 && upserts.every((request) => request.client === sites[1]));
  });

  it('never inserts a SKU twice, in later runs neither', () => {
    const inserts = [...mixtureOf(sites, 300, 0), ...mixtureOf(sites, 300, 300)].filter(({ path }) =>
      path.endsWith('/insert'),
    );
    const skus = inserts.flatMap(({ body }) => skusOf(body));
    assert.equal(skus.length, 4_000);
    assert.equal(new Set(skus).size, 4_000);
  });

  it('upserts the same SKUs again and again, with other values', () => {
    const [first, again] = [upsertOf(client, 7), upsertOf(client, 57)];
    assert.deepEqual(skusOf(first.body), skusOf(again.body));
    const rows = JSON.parse(first.body);
    for (const [index, row] of JSON.parse(again.body).entries()) assert.notDeepEqual(row, rows[index]);
  });

  it('has ten rows in each', () => {
    for (const { body } of [insertOf(client, 3), upsertOf(client, 3)]) assert.equal(skusOf(body).length, 10);
  });

  it('refuses a number of sites that is not its own', () => {
    assert.throws(() => mixtureOf(sites.slice(1), 3, 0), /goes to 202 sites, not to 201/);
  });
});

function skusOf(body: string): string[] {
  return JSON.parse(body).map(({ sku }: { sku: string }) => sku);
}

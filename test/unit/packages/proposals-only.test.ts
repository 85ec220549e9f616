/** Of all operations of the API, the tools for assistants can send those only that look, or that demand approval. */
import assert from 'node:assert/strict';
import { createClient } from '@longshore/client';

const GUARD = new URL('../../../../packages/mcp/dist/guard.js', import.meta.url).href;
const OPERATIONS = new URL('../../../../packages/client/dist/generated/operations.js', import.meta.url).href;

type Guarded = (baseUrl: string, send: typeof fetch) => typeof fetch;

interface Facts {
  readonly method: string;
  readonly path: string;
}

const BASE = 'http://longshore.test/api';

describe('the tools for assistants', () => {
  let guarded: Guarded;
  let operations: Readonly<Record<string, Facts>>;
  const sent: string[] = [];
  const send: typeof fetch = async (input, init) => {
    sent.push(`${init?.method ?? 'GET'} ${String(input)}`);
    return Response.json({});
  };

  before(async () => {
    ({ guarded } = (await import(GUARD)) as { guarded: Guarded });
    ({ OPERATIONS: operations } = (await import(OPERATIONS)) as { OPERATIONS: typeof operations });
  });
  beforeEach(() => {
    sent.length = 0;
  });

  /** Whether a request goes to the system. */
  async function passes(method: string, address: string, body?: unknown): Promise<boolean> {
    sent.length = 0;
    const init = { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const { status } = await guarded(BASE, send)(address, init);
    assert.equal(status, sent.length === 1 ? 200 : 403);
    return sent.length === 1;
  }

  it('can send no operation that changes anything, but for the end of an upload', async () => {
    const passed: string[] = [];
    for (const [name, { method, path }] of Object.entries(operations)) {
      const address = `${BASE}${path.replace(/\{\w+\}/g, '0123456789abcdef01234567')}`;
      const all = [undefined, {}, { options: {} }, { hold: true }, { validateOnly: true, dryRun: true }];
      for (const body of all) {
        if ((await passes(method, address, body)) && method !== 'GET') passed.push(name);
      }
    }
    assert.deepEqual([...new Set(passed)].sort(), ['completeUpload', 'uploadFile']);
    assert.ok(Object.keys(operations).length > 50);
  });

  it('can send what demands approval', async () => {
    const approval = { options: { requireApproval: true } };
    for (const mode of ['insert', 'update', 'upsert', 'delete']) {
      const address = `${BASE}/api-product/v1/product/bulk/${mode}`;
      assert.equal(await passes('POST', `${address}?requireApproval=true`, []), true);
      assert.equal(await passes('POST', `${address}?requireApproval=false`, []), false);
      assert.equal(await passes('POST', address, approval), false);
    }
    assert.equal(await passes('POST', `${BASE}/files/product`, { hold: true, ...approval }), true);
    assert.equal(await passes('POST', `${BASE}/files/product`, approval), false, 'it would be imported at once');
    assert.equal(await passes('POST', `${BASE}/files/product/1/actions/import`, approval), true);
    const asText = { options: { requireApproval: 'true' } };
    assert.equal(await passes('POST', `${BASE}/files/product/1/actions/import`, asText), false);
  });

  it('can send nothing by another way to the same place', async () => {
    const address = `${BASE}/api-product/v1/product/bulk/upsert/../../../../../jobs/1/actions/approve?requireApproval=true`;
    assert.equal(await passes('POST', address, []), false);
    for (const path of ['/jobs/1/actions/approve', '/jobs/1/actions/cancel', '/files/product/1/actions/import/']) {
      assert.equal(await passes('POST', `${BASE}${path}?requireApproval=true`, { requireApproval: true }), false, path);
    }
    assert.equal(await passes('POST', 'http://longshore.test/files/product/1/actions/complete'), false);
    assert.equal(await passes('DELETE', 'http://elsewhere.test/import-profiles/ERP'), false);
    assert.equal(await passes('PUT', 'https://store.test/bucket/key?X-Amz-Signature=1'), true);
  });

  it('are told so by an answer, which is not repeated', async () => {
    const client = createClient({ baseUrl: BASE, site: { account: 'a' }, fetch: guarded(BASE, send) });
    await assert.rejects(client.cancelJob({ id: '1' }), { code: 'NOT_A_PROPOSAL', status: 403 });
    assert.deepEqual(sent, []);
  });
});

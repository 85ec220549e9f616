/** Every example of a request in the description of the API can be sent as it is. */
import assert from 'node:assert/strict';
import { z } from 'zod';
import { EXAMPLE_ID } from '../../../src/api/define-route.js';
import { createClient } from '../../../src/domain/access/clients.js';
import { createToken } from '../../../src/domain/access/tokens.js';
import { makeLink } from '../../support/http/receiver-link.js';
import { Shop } from '../../support/http/shop.js';
import { untilEnded } from '../../support/http/until-ended.js';
import { type FeedFolder, makeFeedFolder } from '../../support/worlds/feed-folder.js';
import { startWorld, type World } from '../../support/worlds/world.js';

/** A catalog is set up in this order; what is not named comes after it. */
const FIRST = [
  'POST /api-product/v1/product/attribute/bulk',
  'POST /api-product/v1/product/attribute/mapping',
  'POST /api-category/v1/category',
  'POST /api-category/v1/category/bulk/upsert',
  'POST /api-category/v1/category/item-attribute',
  'POST /api-product/v1/product/bulk/insert',
  'POST /api-product/v1/product/bulk/upsert',
  'POST /api-product/v1/product/bulk/update',
  // The others need an event, a document or a definition.
  'POST /api/v2/event',
  'POST /api/v2/document',
  'POST /api/v2/webhook',
];
/** What is reverted has changed items. */
const REVERTED_ID = '6920f0c4a1b2c3d4e5f60718';
const LAST = ['POST /api-product/v1/product/bulk/delete', 'POST /jobs/site/actions/promote'];

const operationSchema = z.object({
  parameters: z.array(z.object({ name: z.string(), in: z.string(), content: z.unknown().optional() })),
  requestBody: z.object({ content: z.record(z.string(), z.object({ example: z.unknown().optional() })) }).optional(),
});
const documentSchema = z.object({ paths: z.record(z.string(), z.record(z.string(), operationSchema)) });

interface Example {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly type: string;
  readonly body: unknown;
  readonly prefersWait: boolean;
}

describe('the examples in the description of the API', () => {
  let world: World;
  let shop: Shop;
  let examples: Example[];
  let folders: FeedFolder;
  before(async () => {
    folders = await makeFeedFolder();
    world = await startWorld({ workers: true, environment: { FEED_FOLDERS: folders.allowed } });
    shop = await world.newShop();
    const { paths } = documentSchema.parse(await (await world.api.fetch('/openapi.json')).json());
    examples = Object.entries(paths)
      .flatMap(([path, operations]) =>
        Object.entries(operations).flatMap(([verb, operation]) => exampleOf(verb.toUpperCase(), path, operation)),
      )
      .sort((a, b) => rankOf(a) - rankOf(b));
  });
  after(async () => {
    await world.stop();
    await folders.remove();
  });

  it('are there for every operation that reads a body, but for the upload of bytes', () => {
    const without = examples.filter(({ body }) => body === undefined).map(({ name }) => name);
    assert.deepEqual(without, ['PUT /uploads/{fileId}']);
  });

  it('can be sent to an empty account as they are, and nothing of them fails', async () => {
    const { clientId, clientSecret } = await createClient(world.db, {
      accountId: shop.account,
      name: 'example',
      scopes: ['catalog:read'],
    });
    const fileId = await heldFile();
    const known = {
      webhookId: '',
      eventRequestId: '',
      jobId: '',
      documentType: 'ORDER',
      id: 'ORDER-1001',
      fileId,
      name: 'ERP',
      personId: '',
      viewId: '',
      publishedFileId: '',
      feedId: '',
    };
    // The other stage, with which one is compared, is empty.
    await shop.post('/api-product/v1/product/bulk/delete', { skus: ['DISK-2'] }, { context: { stage: 'staging' } });
    for (const example of examples.filter(({ body }) => body !== undefined)) {
      // Any job can be repeated that was an export: the last answer with a job before this one was.
      const template = example.path
        .replace('/jobs/{id}', '/jobs/{jobId}')
        .replace('/files/product/{id}/', '/files/product/{fileId}/');
      const jobOfItems = example.path.endsWith('/actions/revert') ? await lastInsert() : known.jobId;
      // Nothing can be promoted before stages were compared, of which there is one.
      const isPromotion = example.path === '/jobs/site/actions/promote';
      const isDecision = /\/actions\/(?:approve|reject)$/.test(example.path);
      const isTakenAgain = example.path.endsWith('/actions/take-again');
      const named = {
        ...known,
        jobId: isDecision ? await waitingJob() : jobOfItems,
        feedId: isTakenAgain ? await feedThatHasTaken(Object(example.body).name) : known.feedId,
      };
      const path = template.replace(/\{(\w+)\}/g, (_, name) => named[name as keyof typeof named] ?? name);
      const isForm = example.type === 'application/x-www-form-urlencoded';
      // An id of one's own stands where the example has one that nobody has.
      const text = JSON.stringify(example.body)
        .replaceAll(EXAMPLE_ID, known.eventRequestId)
        .replaceAll('lst_YOUR_TOKEN', shop.token)
        .replaceAll('lsl_CODE_OF_YOUR_LINK', example.path === '/api/v2/receiver' ? await codeOf(known.webhookId) : '')
        .replaceAll(REVERTED_ID, isPromotion ? await comparison() : jobOfItems);
      const answer = await shop.call(example.method, path, {
        body: isForm ? new URLSearchParams(JSON.parse(text)).toString() : text,
        headers: {
          'content-type': example.type,
          'tenant-key': shop.account,
          ...(example.prefersWait ? { prefer: 'wait=25' } : {}),
          ...(isForm ? { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` } : {}),
        },
      });
      const said = `${example.name}: ${JSON.stringify(answer.body)}`;
      assert.ok(answer.status >= 200 && answer.status < 300, said);
      // A trial is no job, and its profile reads another file than the one that is held here.
      const isTrial = example.path.endsWith('/actions/try-profile');
      if (example.prefersWait && !isTrial) assertWholly(answer.body, said);
      if (!isDecision) Object.assign(known, idsIn(answer.body));
      if (example.name === 'POST /api/v2/access/people') known.personId = answer.body.id;
      if (example.name === 'POST /views') known.viewId = answer.body.id;
      if (example.name === 'POST /published-files') known.publishedFileId = answer.body.id;
      if (example.name === 'POST /feeds') known.feedId = answer.body.id;
      // It has another name from then on.
      if (example.name === 'PATCH /import-profiles/{name}') known.name = answer.body.name;
    }
  });

  async function codeOf(webhookId: string): Promise<string> {
    return (await makeLink(shop, webhookId)).code;
  }

  async function lastInsert(): Promise<string> {
    const { data } = await shop.ask('GET', '/jobs/product?type=ITEM_BULK_INSERT&status=COMPLETED&limit=1');
    return data[0].id;
  }

  /** A job that has compared the stage, with the item that was deleted last, with the other one, which has none. */
  async function comparison(): Promise<string> {
    const { data } = await shop.ask('GET', '/jobs/product?type=ITEM_BULK_DELETE&limit=1');
    await shop.post(`/jobs/${data[0].id}/actions/revert`, {}, { headers: { prefer: 'wait=25' } });
    await shop.post('/api-product/v1/product/bulk/delete', { skus: ['DISK-2'] }, { context: { stage: 'staging' } });
    const answer = await shop.post(
      '/jobs/site/actions/compare',
      { with: 'staging' },
      { headers: { prefer: 'wait=25' } },
    );
    assert.equal(answer.status, 200, answer.text);
    return answer.body.id;
  }

  let lastWaiting = 0;
  /** A job of another token that waits for an approval. */
  async function waitingJob(): Promise<string> {
    const { token } = await createToken(world.db, { accountId: shop.account, name: 'other' });
    const other = new Shop(world.api, shop.account, token, shop.siteId);
    const body = [{ action: 'CREATE', name: `Waiting ${++lastWaiting}`, type: 'TEXT' }];
    const path = '/api-product/v1/product/attribute/bulk?requireApproval=true';
    const answer = await other.post(path, body, { headers: { prefer: 'wait=25' } });
    assert.equal(answer.body.status, 'AWAITING_APPROVAL', answer.text);
    return answer.body.jobId;
  }

  /** A feed that has taken a file of this name. */
  async function feedThatHasTaken(name: string): Promise<string> {
    const folder = await folders.of(shop);
    const { id } = await folder.make({ name: 'Takes' });
    await folder.putItem('TAKEN', name);
    await folder.run(id);
    for (const { jobId } of await folder.files(id)) await untilEnded(shop, jobId);
    return id;
  }

  /** A file that is uploaded and held. */
  async function heldFile(): Promise<string> {
    const body = { fileName: 'held.csv', fileType: 'ATTRIBUTE_IMPORT', hold: true };
    const file = await shop.ask('POST', '/files/product', { body });
    assert.equal((await shop.put(file, 'Attribute Title,Type of Attribute\nHeld,SHORT TEXT\n')).status, 200);
    return file.id;
  }
});

function exampleOf(
  method: string,
  path: string,
  { parameters, requestBody }: z.infer<typeof operationSchema>,
): Example[] {
  const prefersWait = parameters.some(({ name }) => name === 'Prefer');
  return Object.entries(requestBody?.content ?? {}).map(([type, { example }]) => ({
    ...{ name: `${method} ${path}`, method, path, type, prefersWait },
    body: example,
  }));
}

function rankOf({ name }: Example): number {
  const first = FIRST.indexOf(name);
  if (first >= 0) return first;
  return FIRST.length + LAST.indexOf(name) + 1;
}

/** Each row is applied, and a job has completed. */
function assertWholly(body: unknown, said: string): void {
  const { failed, attributes, categories, status } = z
    .looseObject({
      failed: z.array(z.unknown()).optional(),
      attributes: z.looseObject({ failed: z.array(z.unknown()) }).optional(),
      categories: z.looseObject({ failed: z.array(z.unknown()) }).optional(),
      status: z.string().optional(),
    })
    .parse(body);
  const rows = failed ?? attributes?.failed ?? categories?.failed;
  if (rows === undefined) assert.equal(status, 'COMPLETED', said);
  else assert.deepEqual(rows, [], said);
}

function idsIn(body: unknown): { webhookId?: string; eventRequestId?: string; jobId?: string } {
  const { webhookId, eventRequestId, jobId } = z
    .looseObject({
      webhookId: z.string().optional(),
      eventRequestId: z.string().optional(),
      jobId: z.string().optional(),
    })
    .catch({})
    .parse(body);
  return {
    ...(jobId === undefined ? {} : { jobId }),
    ...(webhookId === undefined ? {} : { webhookId }),
    ...(eventRequestId === undefined ? {} : { eventRequestId }),
  };
}

/** The typed client, against a running system: every operation of the description is called once, and its helpers. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  accepted,
  createClient,
  decide,
  type LongshoreClient,
  LongshoreError,
  type OperationName,
  webhooks,
} from '@longshore/client';
import { openapiOf } from '../../../src/api/openapi.js';
import { routes } from '../../../src/api/routes/index.js';
import { createClient as createOauthClient } from '../../../src/domain/access/clients.js';
import { createToken } from '../../../src/domain/access/tokens.js';
import type { Shop } from '../../support/http/shop.js';
import { until } from '../../support/until.js';
import { startWorld, type World } from '../../support/worlds/world.js';

/** All operations of the description. */
const OPERATIONS = Object.values(openapiOf(routes).paths).flatMap((item) =>
  Object.values(item).map((operation) => (operation as { operationId: OperationName }).operationId),
);

describe('the typed client', function () {
  this.timeout(60_000);
  let world: World;
  let shop: Shop;
  let baseUrl: string;
  let client: LongshoreClient;
  const called = new Set<string>();

  before(async () => {
    world = await startWorld({ workers: true, chunkRows: 5_000 });
    shop = await world.newShop();
    baseUrl = world.api.url;
    const site = { account: shop.account, stage: 'production' };
    client = noted(createClient({ baseUrl, token: shop.token, site }), called);
  });
  after(() => world.stop());

  it('defines a catalog', async () => {
    const attributes = await client.createAttributes(
      {
        body: [
          { name: 'Title', type: 'TEXT' },
          { name: 'Price', type: 'DECIMAL' },
        ],
      },
      { wait: 25 },
    );
    assert.ok('attributes' in attributes);
    assert.deepEqual(attributes.attributes.failed, []);
    await client.setAttributeMapping({ body: { mappings: [{ mapping: 'title', name: 'Title' }] } });
    assert.equal(
      (await client.getAttributeMapping()).data.some(({ attribute }) => attribute === 'Title'),
      true,
    );
    const listed = await client.listAttributes({ limit: 100, names: ['Title', 'Price'] });
    assert.deepEqual(listed.data.map(({ name }) => name).sort(), ['Price', 'Title']);
    const storage = await client.createCategory({ body: { name: 'Storage' } });
    await client.updateCategory({ body: { nodeId: storage.nodeId, order: 2 } });
    const upserted = await client.upsertCategories(
      { body: [{ name: 'Disk', parentNodeName: 'Storage' }] },
      { wait: 25 },
    );
    assert.ok('categories' in upserted);
    const nodeId = upserted.categories.success[0]?.nodeId ?? 0;
    const trees = await client.getCategoryTree({ type: 'PRIMARY' });
    assert.match(JSON.stringify(trees.data), /"Storage".*"Disk"/);
    const children = await client.listChildCategories({ nodeId: storage.nodeId });
    assert.deepEqual([children.data.map(({ name }) => name), children.category?.below], [['Disk'], 1]);
    await client.setCategoryAttributes({
      body: {
        nodeId,
        itemAttributes: [
          { name: 'Title', action: 'SET' },
          { name: 'Price', action: 'SET' },
        ],
      },
    });
    const assigned = await client.listCategoryAttributes({ nodeId });
    assert.equal(assigned.count >= 2, true);
    assert.ok((await client.listCategories({ type: 'PRIMARY' })).count >= 2);
  });

  it('writes items, and reads them', async () => {
    const nodeName = 'Storage->Disk';
    const rows = [
      { sku: 'A,1', nodeName },
      { sku: 'A-2', nodeName },
      { sku: 'A-3', nodeName },
      { sku: 'A-4\\', nodeName },
    ];
    const inserted = await client.insertItems({ body: rows }, { wait: 25 });
    assert.ok('success' in inserted && inserted.success.length === 4, JSON.stringify(inserted));
    await client.upsertItems({ body: [{ sku: 'A-2', attributes: { Title: 'Disk' } }] }, { wait: 25 });
    await client.updateItems({ body: [{ sku: 'A-2', attributes: { Price: '89.90' } }] }, { wait: 25 });
    assert.equal((await client.getItem({ sku: 'A,1' })).sku, 'A,1');
    const skus = ['A,1', 'A-2', 'A-4\\'];
    for (const asked of [skus, skus.toReversed()])
      assert.deepEqual((await client.listItems({ skus: asked })).data.map(({ sku }) => sku).sort(), skus);
    assert.equal((await client.searchItems({ body: { q: 'disk', attributes: ['Title'] } })).items[0]?.sku, 'A-2');
    assert.equal((await client.getJobStatistics({ days: 2, timeZone: 'Europe/Berlin' })).days.length > 0, true);
    assert.deepEqual((await client.getDeliveryStatistics({})).days, []);
    assert.equal((await client.countItems({ body: { match: { sku: ['A-2', 'A-3'] } } })).count, 2);
    const sale = await client.createCategory({ body: { name: 'Sale', type: 'ALTERNATE' } });
    const added = await client.setCategoryItems({ body: { nodeId: sale.nodeId, items: [{ sku: 'A-3' }] } });
    assert.equal(added.success.length, 1);
    await client.deleteItems({ body: { skus: ['A-3'] } }, { wait: 25 });
    const empty = await client.createCategory({ body: { name: 'Empty' } });
    assert.equal((await client.deleteCategory({ nodeId: empty.nodeId })).name, 'Empty');
  });

  it('gets templates', async () => {
    for (const response of [
      await client.getItemTemplate({ body: { format: 'CSV' } }),
      await client.getBundleTemplate(),
      await client.getAttributeTemplate({ body: {} }),
      await client.getCategoryTemplate({ body: {} }),
    ]) {
      assert.ok((await response.text()).includes(','));
    }
  });

  it('uploads a file by its single operations, and downloads it', async () => {
    const file = await client.announceFile({ body: { fileName: 'b.csv', fileType: 'ITEM_IMPORT' } });
    const { pathname, searchParams } = new URL(file.location);
    const signed = { expires: searchParams.get('expires') ?? '', signature: searchParams.get('signature') ?? '' };
    const fileId = pathname.split('/').at(-1) ?? '';
    const uploaded = await client.uploadFile({ fileId, ...signed, body: 'SKU,Category Node\nB-1,Storage->Disk\n' });
    assert.equal(uploaded.status, 'UPLOADED');
    assert.equal((await client.waitForJob(file.jobId)).status, 'COMPLETED');
    assert.equal((await client.getFile({ id: file.id })).status, 'UPLOADED');
    assert.equal((await client.completeUpload({ id: file.id })).jobId, file.jobId);
    assert.equal((await client.listFiles({ ids: [file.id] })).count, 1);
    const { location } = await client.getDownloadUrl({ id: file.id });
    const query = new URL(location).searchParams;
    const response = await client.downloadFile({
      fileId: file.id,
      expires: query.get('expires') ?? '',
      signature: query.get('signature') ?? '',
    });
    assert.match(await response.text(), /B-1/);
  });

  it('starts every export', async () => {
    const { data } = await client.listAttributes();
    const [attribute] = data;
    const started = [
      await client.exportItems({ body: { skus: ['A-2'] } }, { wait: 25 }),
      await client.exportMatchingItems({ body: { match: {} } }, { wait: 25 }),
      await client.exportBundles({ body: { skus: ['A-2'] } }, { wait: 25 }),
      await client.exportMatchingBundles({ body: { match: {} } }, { wait: 25 }),
      await client.exportAttributes({ body: { names: [attribute?.name ?? ''] } }, { wait: 25 }),
      await client.exportMatchingAttributes({ body: { match: {} } }, { wait: 25 }),
      await client.exportSite({ body: {} }, { wait: 25 }),
      await client.exportCategories({ body: { nodeIds: [1] } }, { wait: 25 }),
      await client.exportMatchingCategories({ body: { match: { type: 'PRIMARY' } } }, { wait: 25 }),
    ];
    assert.equal(new Set(started.map(({ jobId }) => jobId)).size, 9);
  });

  it('follows jobs', async () => {
    const bad = await client.insertItems({ body: [{ sku: 'C-1', nodeName: 'Nowhere' }, { sku: 'A-2' }] });
    assert.ok('status' in bad);
    const job = await client.waitForJob(bad.jobId);
    assert.equal((await client.getJob({ id: job.id })).status, job.status);
    assert.equal((await client.listJobs({ ids: [job.id], limit: 1 })).count, 1);
    assert.equal((await client.listJobErrors({ id: job.id, limit: 1 })).data.length, 1);
    assert.ok('failed' in (await client.getJobResult({ id: job.id, limit: 10 })));
    const retried = await client.retryJob({ id: job.id, body: { rows: 'failed' } });
    assert.ok('jobId' in retried && retried.retryOf === job.id);
    assert.match((await client.waitForJob(retried.jobId)).status, /^COMPLETED|^FAILED$/);
    await assert.rejects(client.cancelJob({ id: job.id }), { name: 'LongshoreError', status: 409 });
    await assert.rejects(client.resumeJobs({ id: job.id }), { name: 'LongshoreError', status: 409 });
  });

  it('takes back what jobs have changed', async () => {
    const price = async () => (await client.getItem({ sku: 'A-2' })).attributes.Price;
    const { job } = await client.importFile('SKU,Price\nA-2,5\n', { fileName: 'r.csv' });
    const before = await price();
    const dry = await client.revertJob({ id: job.id, body: { validateOnly: true } }, { wait: 25 });
    assert.ok('options' in dry && dry.options.validateOnly === true);
    const changes = (await client.listJobChanges({ id: dry.id })).data;
    assert.deepEqual(changes[0]?.attributes.Price, { before: '5', after: '89.9' });
    assert.equal((await client.summarizeJobChanges({ id: dry.id })).operations.UPDATED, 1);
    assert.match(await (await client.downloadJobChanges({ id: dry.id })).text(), /^A-2,UPDATED,1,Price,5,89\.9$/m);
    const { cursor } = await client.getChangeCursor();
    const undo = await client.revert(job.id);
    assert.equal((await client.listChanges({ since: cursor })).data[0]?.jobId, undo.id);
    assert.equal((await client.getItemHistory({ sku: 'A-2' })).data[0]?.jobId, undo.id);
    assert.deepEqual([undo.type, undo.status, undo.options.revertOf], ['REVERT', 'COMPLETED', [job.id]]);
    assert.equal(await price(), '89.9');
    const redone = await client.revertJobs({ body: { jobIds: [undo.id] } }, { wait: 25 });
    assert.ok('status' in redone && redone.status === 'COMPLETED');
    assert.equal(await price(), before);
  });

  it('compares stages, and carries over what differs', async () => {
    const site = { stage: 'compared' };
    const found = await client.compare('production', { site });
    assert.deepEqual([found.type, found.options.with], ['STAGE_COMPARE', 'production']);
    const same = await client.compareStages({ body: { with: 'production' } }, { wait: 25, site });
    assert.ok('status' in same && same.status.startsWith('COMPLETED'));
    const body = { compareJobId: found.id, validateOnly: true };
    const begun = await client.promoteStage({ body }, { wait: 25, site });
    assert.ok('type' in begun && begun.type === 'STAGE_PROMOTE');
    assert.equal((await client.promote(found.id, { skus: ['A-2'], site })).type, 'STAGE_PROMOTE');
  });

  it('keeps documents, notifies, and emits events to webhooks, whose deliveries it verifies', async () => {
    const receiver = await startReceiver();
    const definition = await client.createWebhook({
      body: { target: receiver.url, protocol: 'HTTP', source: 'OMS', events: ['ORDER_CREATED'] },
    });
    const webhookId = definition.webhookId;
    assert.equal((await client.testWebhook({ webhookId })).delivered, true);
    assert.equal((await client.listWebhooks()).length, 1);
    assert.equal((await client.getWebhook({ webhookId })).health.backlog, 0);
    await client.updateWebhook({ webhookId, body: { rateLimit: 100 } });
    await client.disableWebhook({ webhookId });
    await client.enableWebhook({ webhookId });
    await client.resumeWebhook({ webhookId });
    const { signingSecret } = await client.rotateWebhookSecret({ webhookId });
    const event = { source: 'OMS' as const, event: 'ORDER_CREATED', payload: { id: 'O-1' }, orderNumber: 'O-1' };
    const emitted = await client.emitEvent({ body: event });
    const delivery = await receiver.next(({ body }) => body.includes(emitted.eventRequestId));
    const verified = await webhooks.verify<{ id: string }>({ ...delivery, secret: signingSecret });
    assert.equal(verified.payload.id, 'O-1');
    const forged = { ...delivery, body: delivery.body.replace('O-1', 'O-2'), secret: signingSecret };
    await assert.rejects(webhooks.verify(forged), { code: 'WEBHOOK_INVALID', message: /signature/ });
    const late = { ...delivery, secret: signingSecret, now: new Date(Date.now() + 3_600_000) };
    await assert.rejects(webhooks.verify(late), { code: 'WEBHOOK_INVALID', message: /seconds old/ });
    await assert.rejects(webhooks.verify({ ...delivery, headers: {}, secret: signingSecret }), /webhook-id is missing/);
    assert.equal((await client.emitEvents({ body: [event, event] })).eventRequestIds.length, 2);
    assert.ok((await client.queryEvents({ body: { filters: { webhookId }, limit: 5 } })).count >= 1);
    const asked = { filter: { path: '/id', equals: 'O-2' }, eventRequestIds: [emitted.eventRequestId] };
    assert.equal((await client.tryWebhookFilter({ body: asked })).events[0]?.passes, false);
    assert.ok(
      'deliveries' in (await client.retryEvents({ body: { eventRequestId: emitted.eventRequestId, webhookId } })),
    );
    assert.ok((await client.listEventTypes()).length > 3);
    await client.createDocument({ body: { documentType: 'ORDER', id: 'O-1', payload: { status: 'NEW' } } });
    const named = { documentType: 'ORDER', id: 'O-1' } as const;
    await client.updateDocument({ ...named, body: { payload: { status: 'PAID' } } });
    assert.deepEqual((await client.getDocument(named)).payload, { status: 'PAID' });
    await client.sendNotifications({ body: { id: 'O-1', documentType: 'ORDER', notificationType: 'ORDER_CREATED' } });
    await client.deleteDocument(named);
    await client.deleteWebhook({ webhookId });
    await receiver.stop();
  });

  it('inspects a held file and imports it, and keeps profiles and settings of the site', async () => {
    const announced = await client.announceFile({
      body: { fileName: 'held.csv', fileType: 'ITEM_IMPORT', hold: true },
    });
    const { id, location, jobId } = announced;
    await fetch(location, { method: 'PUT', body: 'SKU,Category Node,Title\nH-1,Storage->Disk,Held\n' });
    const inspected = await client.inspectFile({ id }, { wait: 25 });
    assert.ok('inspection' in inspected);
    assert.equal(inspected.inspection.rows, 1);
    const proposed = await client.proposeImport({ id }, { wait: 25 });
    assert.ok('proposal' in proposed);
    assert.equal(proposed.proposal.fileType, 'ITEM_IMPORT');
    const bySku = [{ to: 'SKU', from: 'SKU' }];
    const tried = await client.tryImportProfile(
      { id, body: { profile: { fileType: 'ITEM_IMPORT', columns: bySku } } },
      { wait: 25 },
    );
    assert.ok('trial' in tried);
    assert.equal(tried.trial.rows[0]?.cells[0]?.value, 'H-1');
    const imported = await client.importHeldFile({ id, body: { options: { mode: 'insert' } } }, { wait: 25 });
    assert.ok('id' in imported);
    assert.deepEqual([imported.id, imported.progressTracker.createdCount], [jobId, 1]);

    const columns = [{ to: 'SKU', from: 'Article' }];
    const profile = { fileType: 'ITEM_IMPORT', columns } as const;
    await client.createImportProfile({ body: { name: 'ERP', profile } });
    assert.deepEqual(
      (await client.listImportProfiles({ shipped: 'false' })).data.map(({ name }) => name),
      ['ERP'],
    );
    const changed = { ...profile, unknownColumns: 'fail' } as const;
    await client.updateImportProfile({ name: 'ERP', body: { profile: changed } });
    assert.equal((await client.getImportProfile({ name: 'ERP' })).version, 2);
    assert.equal((await client.listImportProfileVersions({ name: 'ERP' })).data.length, 2);
    await client.updateSiteSettings({ body: { aliases: { SKU: ['Article'] } } });
    assert.deepEqual((await client.getSiteSettings()).aliases, { SKU: ['Article'] });
    assert.equal((await client.renameImportProfile({ name: 'ERP', body: { name: 'ERP 2' } })).version, 2);
    await client.deleteImportProfile({ name: 'ERP 2' });
    await assert.rejects(client.getImportProfile({ name: 'ERP 2' }), { status: 404 });
  });

  it('saves feeds, tries them and runs them', async () => {
    const connection = { kind: 'sftp', host: 'sftp.shop.example', user: 'longshore', path: '/out' } as const;
    const made = await client.createFeed({ body: { name: 'ERP', connection, secret: 'x', fileType: 'ITEM_IMPORT' } });
    const feedId = made.id;
    assert.equal((await client.updateFeed({ feedId, body: { expectWithinMinutes: 60 } })).version, 2);
    assert.equal((await client.getFeed({ feedId })).hasSecret, true);
    assert.equal((await client.listFeeds()).count, 1);
    assert.equal((await client.testFeed({ body: { feedId } })).reached, false);
    await client.runFeed({ feedId }, { wait: 25 });
    assert.equal((await client.listFeedRuns({ feedId })).count, 1);
    assert.equal((await client.listFeedFiles({ feedId })).count, 0);
    await assert.rejects(client.takeFeedFileAgain({ feedId, body: { name: 'a.csv' } }), { status: 404 });
    const body = {
      name: 'Shop',
      direction: 'DESTINATION',
      connection,
      fileName: 'items.csv',
      after: { feed: 'ERP' },
    } as const;
    const sends = await client.createFeed({
      body: { ...body, export: { type: 'ITEM_EXPORT', match: { status: 'LIVE' } } },
    });
    assert.deepEqual([sends.direction, sends.content, sends.after], ['DESTINATION', 'WHOLE', { feed: 'ERP' }]);
    assert.equal((await client.testFeed({ body: { feedId: sends.id } })).writable, false);
    await client.deleteFeed({ feedId: sends.id });
    const { url } = await client.renewFeedTrigger({ feedId });
    assert.equal((await client.getFeedTrigger({ feedId })).url, url);
    await client.triggerFeed({ key: url?.split('/').at(-1) ?? '' });
    await client.deleteFeedTrigger({ feedId });
    await client.deleteFeed({ feedId });
  });

  it('saves views', async () => {
    const made = await client.createView({ body: { kind: 'ITEMS', name: 'Drafts', content: { status: 'DRAFT' } } });
    const body = { name: 'Drafts', content: { status: 'LIVE' }, shared: true, version: 1 };
    assert.equal((await client.updateView({ viewId: made.id, body })).version, 2);
    assert.deepEqual((await client.getView({ viewId: made.id })).content, { status: 'LIVE' });
    assert.equal((await client.listViews({ kind: 'ITEMS' })).count, 1);
    await client.deleteView({ viewId: made.id });
  });

  it('publishes exports at addresses', async () => {
    const made = await client.createPublishedFile({ body: { name: 'Market' } });
    assert.equal((await client.listPublishedFiles()).count, 1);
    const { url } = await client.renewPublishedFile({ publishedFileId: made.id });
    assert.equal((await client.getPublishedFile({ publishedFileId: made.id })).url, url);
    const key = url?.split('/').at(-1) ?? '';
    await assert.rejects(client.fetchPublishedFile({ key }), { status: 404 });
    await client.deletePublishedFile({ publishedFileId: made.id });
  });

  it('describes itself, and is alive', async () => {
    assert.equal((await client.getHealth()).status, 'ok');
    assert.ok((await client.getReadiness(undefined, { retries: 0 })).parts.database.status.length > 0);
    assert.match(await (await client.getDocs()).text(), /swagger/i);
    assert.equal(((await client.getOpenapi()) as { openapi: string }).openapi, '3.1.0');
    assert.ok((await client.listAuditEntries({ limit: 5 })).data.length > 0);
    const scopes = ['catalog:read'] as const;
    const oauth = await createOauthClient(world.db, { accountId: shop.account, name: 'x', scopes: [...scopes] });
    const granted = await client.createAccessToken({
      body: { grant_type: 'client_credentials', client_id: oauth.clientId, client_secret: oauth.clientSecret },
    });
    assert.equal(granted.token_type, 'Bearer');
    const operator = noted(createClient({ baseUrl, token: world.api.operatorToken }), called);
    assert.match(await (await operator.getMetrics()).text(), /^longshore_/m);
    assert.ok('groups' in (await operator.getScale(undefined, { retries: 8 })));
  });

  it('logs in, and works in the session', async () => {
    const inBrowser = noted(
      createClient({ baseUrl, fetch: browserAt(baseUrl), site: { account: shop.account } }),
      called,
    );
    const session = await inBrowser.createSession({ body: { token: shop.token } });
    assert.equal((await inBrowser.getSession()).id, session.id);
    assert.ok((await inBrowser.listJobs({ limit: 1 })).limit === 1);
    const other = await client.createSession({ body: { token: shop.token } });
    assert.ok((await inBrowser.listSessions()).data.some(({ id, current }) => id === session.id && current));
    await inBrowser.endSession({ sessionId: other.id });
    await assert.rejects(inBrowser.beginProviderLogin(), { status: 404, code: 'NO_PROVIDER' });
    await inBrowser.deleteSession();
    await assert.rejects(inBrowser.getSession(), { status: 401 });
  });

  it('gives the receiver of a webhook a link, and sees what its holder sees', async () => {
    const { webhookId } = await client.createWebhook({
      body: { target: `${baseUrl}/nowhere`, protocol: 'HTTP', source: 'OMS', events: ['ORDER_LINKED'] },
    });
    const made = await client.createReceiverLink({ webhookId, body: { name: 'Partner', replay: true } });
    const spare = await client.createReceiverLink({ webhookId, body: { name: 'Partner' } });
    await client.revokeReceiverLink({ webhookId, linkId: spare.id });
    assert.deepEqual(
      (await client.listReceiverLinks({ webhookId })).data.map(({ id }) => id),
      [made.id],
    );
    const inBrowser = noted(createClient({ baseUrl, fetch: browserAt(baseUrl) }), called);
    const opened = await inBrowser.openReceiver({ body: { code: made.link.replace(/.*#code=/, '') } });
    assert.equal(opened.mayReplay, true);
    assert.equal((await inBrowser.getReceiver()).expiresAt, made.expiresAt);
    const event = { source: 'OMS', event: 'ORDER_LINKED', payload: {} } as const;
    const { eventRequestId } = await client.emitEvent({ body: event });
    await until('it is sent', async () => (await inBrowser.listReceivedEvents({})).count === 1, 10_000);
    assert.equal((await inBrowser.getReceivedEvent({ eventRequestId })).event, 'ORDER_LINKED');
    assert.equal((await inBrowser.replayReceivedEvent({ eventRequestId })).eventRequestId, eventRequestId);
    await inBrowser.leaveReceiver();
    await assert.rejects(inBrowser.getReceiver(), { status: 401 });
  });

  it('invites people', async () => {
    const invited = await client.createPerson({ body: { name: 'Merchandiser', role: 'editor' } });
    assert.match(invited.link, /\/console\/#code=/);
    const { id: personId } = invited;
    assert.equal((await client.getPerson({ personId })).invitation.state, 'INVITED');
    assert.notEqual((await client.invitePerson({ personId })).link, invited.link);
    assert.equal((await client.updatePerson({ personId, body: { role: 'viewer' } })).role, 'viewer');
    assert.deepEqual(
      (await client.listPeople()).data.map(({ id }) => id),
      [personId],
    );
    await client.deletePerson({ personId });
  });

  it('imports a file of its own by a proposal, of which it decides what is open', async () => {
    const rows = Array.from({ length: 9 }, (_, row) => `P-${row};Wheels > Rims;0${row + 1}.02.2026`);
    const file = await client.announceFile({ body: { fileName: 'own.csv', fileType: 'ITEM_IMPORT', hold: true } });
    await fetch(file.location, { method: 'PUT', body: ['Item Number;Category;Since', ...rows].join('\n') });
    const inspected = await client.inspectFile({ id: file.id }, { wait: 25 });
    assert.ok('inspection' in inspected && inspected.inspection.rows === 9);
    const proposed = await client.proposeImport({ id: file.id }, { wait: 25 });
    assert.ok('proposal' in proposed, JSON.stringify(proposed));
    assert.deepEqual(
      proposed.proposal.questions.map(({ column }) => column),
      ['Since'],
    );
    const chosen = accepted(decide(proposed.proposal, { Since: 'dd.MM.yyyy' }));
    const createMissing = { attributes: true, categories: true, assignments: true };
    const imported = await client.importHeldFile({ id: file.id, body: { ...chosen, createMissing } }, { wait: 25 });
    assert.ok('status' in imported && imported.status === 'COMPLETED', JSON.stringify(imported));
  });

  it('sends rows that wait for an approval, rejects them, and approves them with another token', async () => {
    await client.bulk('createAttributes', [{ name: 'Approved', type: 'TEXT' }]);
    const propose = async (name: string) => {
      const { awaitingApproval } = await client.bulk('createAttributes', [{ name, type: 'TEXT' }], {
        requireApproval: true,
      });
      assert.equal(awaitingApproval.length, 1);
      return awaitingApproval[0] ?? '';
    };
    const rejected = await client.rejectJob({ id: await propose('Bad'), body: { note: 'misspelt' } });
    assert.deepEqual([rejected.status, rejected.reason], ['REJECTED', 'NOT_APPROVED']);
    const { token } = await createToken(world.db, { accountId: shop.account, name: 'approver' });
    const approver = noted(createClient({ baseUrl, token, site: { account: shop.account } }), called);
    await approver.approveJob({ id: await propose('Good'), body: {} }, { wait: 25 });
    assert.equal((await approver.approve(await propose('Better'), { note: 'as agreed' })).status, 'COMPLETED');
  });

  it('has called every operation of the description', () => {
    assert.deepEqual(
      OPERATIONS.filter((name) => !called.has(name)),
      [],
    );
  });

  it('imports a file: errors as they are needed, the file with them, and the same job for the same key', async () => {
    const text = 'SKU,Category Node,Title,Price\nF-1,Storage->Disk,One,1\nF-2,Storage->Disk,Two,two\n';
    const phases = new Set<string>();
    const options = {
      fileName: 'f.csv',
      idempotencyKey: 'f',
      onProgress: ({ phase }: { phase: string }) => phases.add(phase),
    };
    const result = await client.importFile(text, options);
    assert.equal(result.outcome, 'partly');
    assert.deepEqual([...phases], ['upload', 'job']);
    const errors = [];
    for await (const error of result.errors()) errors.push([error.row, error.column, error.code]);
    assert.deepEqual(errors, [[3, 'Price', 'VALUE_TYPE']]);
    assert.match((await (await result.errorFile())?.text()) ?? '', /F-2/);
    const again = await client.importFile(text, options);
    assert.equal(again.job.id, result.job.id);
    const dry = await client.importFile(new Blob([text]), { fileName: 'f.csv', dryRun: true });
    assert.notEqual(dry.job.id, result.job.id);
    assert.equal(dry.job.options.validateOnly, true);
  });

  it('splits rows into requests that the API accepts, and numbers failed rows over all of them', async () => {
    function* rows() {
      for (let index = 0; index < 10_002; index++) {
        yield { sku: `D-${index}`, nodeName: index === 10_001 ? 'Nowhere' : 'Storage->Disk' };
      }
    }
    const result = await client.bulk('upsertItems', rows());
    assert.equal(result.jobIds.length, 2);
    assert.equal(result.rows, 10_002);
    assert.deepEqual(
      result.failed.map(({ index, key, errors }) => [index, key, errors[0]?.code]),
      [[10_001, 'D-10001', 'NODE_NOT_FOUND']],
    );
    // No row of a request can be applied.
    const none = await client.bulk('insertItems', [{ sku: 'E-1', nodeName: 'Nowhere' }]);
    assert.deepEqual(
      none.failed.map(({ index, key }) => [index, key]),
      [[0, 'E-1']],
    );
  });

  it('exports to a stream', async () => {
    const chunks: Uint8Array[] = [];
    const sink = new WritableStream<Uint8Array>({ write: (chunk) => void chunks.push(chunk) });
    const match = { sku: ['A-2', 'A,1'] };
    const { rows, bytes } = await client.exportTo({ what: 'items', match, format: 'CSV' }, sink);
    assert.equal(rows, 2);
    assert.equal(
      bytes,
      chunks.reduce((sum, { byteLength }) => sum + byteLength, 0),
    );
    assert.match(Buffer.concat(chunks).toString(), /A-2/);
  });

  it('throws one class of errors, with the code, the problems by row and the id of the request', async () => {
    const refused = await client
      .createCategory({ body: { name: '' } }, { requestId: 'own-id' })
      .catch((error) => error);
    assert.ok(refused instanceof LongshoreError);
    assert.equal(refused.status, 400);
    assert.equal(refused.requestId, 'own-id');
    assert.equal(refused.problems[0]?.path, 'name');
    const rows = await client
      .insertItems({ body: [{ sku: 'A-2' }, { sku: '' }] }, { wait: 25 })
      .catch((error) => error);
    assert.ok(rows instanceof LongshoreError);
    assert.equal(rows.code, 'STATUS_ERROR');
    assert.deepEqual([...rows.problemsByRow().keys()], [0, 1]);
    await assert.rejects(createClient({ baseUrl }).listJobs(), { status: 401 });
    const nowhere = createClient({ baseUrl: 'http://127.0.0.1:1', retries: 0 });
    await assert.rejects(nowhere.getHealth(), { name: 'LongshoreError', code: 'NETWORK', status: 0 });
  });

  it('asks once for the end of a job, and about once a second for one whose progress is shown', async () => {
    const waits: (string | null)[] = [];
    const ended = createClient({
      baseUrl,
      fetch: async (_, init) => {
        waits.push(new Headers(init?.headers).get('prefer'));
        return Response.json({ id: 'x', completedAt: waits.length === 2 ? null : '2026-01-31T09:00:00Z' });
      },
    });
    await ended.waitForJob('x');
    await ended.waitForJob('x', { onProgress: () => undefined });
    assert.deepEqual(waits, ['wait=20', null, 'wait=1']);
  });

  it('throws its error for what is no answer of a Longshore', async () => {
    const answering = (response: Response) => createClient({ baseUrl, fetch: async () => response }).listJobs();
    const page = { headers: { 'content-type': 'text/html' } };
    await assert.rejects(answering(new Response('<p>Hello', page)), {
      name: 'LongshoreError',
      code: 'NOT_JSON',
      message: 'GET /jobs/product was answered 200 with text/html, not with JSON',
    });
    await assert.rejects(answering(new Response('<p>Busy', { ...page, status: 502, statusText: 'Bad Gateway' })), {
      name: 'LongshoreError',
      code: 'HTTP_502',
      message: 'GET /jobs/product was answered 502: Bad Gateway',
    });
  });

  it('repeats a request after Retry-After, and one without an answer with the same key', async () => {
    const keys: (string | null)[] = [];
    const answers = [
      () => new Response('{"message":"busy"}', { status: 503, headers: { 'retry-after': '0' } }),
      () => {
        throw new TypeError('fetch failed');
      },
      () => Response.json({ jobId: 'x', status: 'SCHEDULED' }, { status: 202 }),
    ];
    const flaky = createClient({
      baseUrl,
      fetch: async (_, init) => {
        keys.push(new Headers(init?.headers).get('idempotency-key'));
        return (answers[keys.length - 1] ?? (() => new Response()))();
      },
    });
    const answer = await flaky.insertItems({ body: [{ sku: 'x' }] });
    assert.equal(answer.jobId, 'x');
    assert.equal(keys.length, 3);
    assert.equal(new Set(keys).size, 1);
    assert.match(keys[0] ?? '', /^[0-9a-f-]{36}$/);
  });
});

/** The same client, which notes the operations that are called. */
function noted(client: LongshoreClient, called: Set<string>): LongshoreClient {
  return new Proxy(client, {
    get: (target, name, receiver) => {
      called.add(String(name));
      return Reflect.get(target, name, receiver);
    },
  });
}

interface Delivery {
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body: string;
}

async function startReceiver() {
  const deliveries: Delivery[] = [];
  let arrived: () => void = () => undefined;
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    deliveries.push({ headers: request.headers, body });
    response.writeHead(204).end();
    arrived();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async next(isMeant: (delivery: Delivery) => boolean): Promise<Delivery> {
      for (;;) {
        const found = deliveries.find(isMeant);
        if (found !== undefined) return found;
        await new Promise<void>((resolve) => {
          arrived = resolve;
        });
      }
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Keeps the cookie, and says from which page it asks, as browsers do. */
function browserAt(origin: string): typeof fetch {
  let cookie = '';
  return async (url, init) => {
    const headers = new Headers(init?.headers);
    headers.set('origin', origin);
    if (cookie !== '') headers.set('cookie', cookie);
    const response = await fetch(url, { ...init, headers });
    cookie = response.headers.get('set-cookie')?.replace(/;.*/, '') ?? cookie;
    return response;
  };
}

/** What an assistant proposes by `longshore mcp` waits for approval, with a preview, and changes nothing. */
import assert from 'node:assert/strict';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createToken } from '../../src/domain/access/tokens.js';
import type { Shop } from '../support/http/shop.js';
import { HIDDEN_CELLS_NOTES, hiddenCellsFile } from '../support/models/hidden-cells-file.js';
import { type Assistant, startAssistant, type Told } from '../support/worlds/assistant.js';
import { signedIn } from '../support/worlds/command-line.js';
import { makeOpenFolder, type OpenFolder } from '../support/worlds/open-folder.js';
import { startWorld, type World } from '../support/worlds/world.js';

/** A column that may be read in two ways, one that the catalog lacks, and one of another name. */
const FOREIGN = `Artikelnummer;Bezeichnung;Preis;Gültig bis
D-1;Disk one;1,50;03.04.2026
D-2;Disk two;2,50;05.06.2026
D-9;Disk nine;9,50;07.08.2026
`;

describe('proposals of assistants', function () {
  this.timeout(60_000);
  let world: World;
  let folder: OpenFolder;
  let shop: Shop;
  let assistant: Assistant;

  before(async () => {
    world = await startWorld({ workers: true, chunkRows: 1_000 });
    folder = makeOpenFolder();
  });
  after(async () => {
    await world?.stop();
    folder?.remove();
  });
  beforeEach(async () => {
    shop = await (await world.newShop()).define({
      attributes: ['Title', { name: 'Price', type: 'DECIMAL' }],
      categories: { Disk: ['Title', 'Price'] },
      mapping: { title: 'Title' },
    });
    const items = ['D-1', 'D-2', 'D-3'].map((sku) => ({
      sku,
      nodeName: 'Disk',
      attributes: { Title: sku, Price: '1' },
    }));
    await shop.bulk('insert', items);
    assistant = await startAssistant(signedIn(folder.path, { baseUrl: world.api.url, ...shop }));
  });
  afterEach(() => assistant.stop());

  const prices = () => shop.values('Price');
  const UNCHANGED = { 'D-1': '1', 'D-2': '1', 'D-3': '1' };

  /** That a job waits for people, and has changed nothing. @returns its id */
  async function assertWaits({ text, data }: Told): Promise<string> {
    const { id, status } = data.job;
    assert.equal(status, 'AWAITING_APPROVAL', text);
    assert.match(text, /waits for approval by a person; nothing is applied/);
    assert.deepEqual(await prices(), UNCHANGED);
    const waiting = await assistant.use('find_jobs', { status: 'AWAITING_APPROVAL' });
    assert.ok(waiting.data.jobs.some((job: { id: string }) => job.id === id));
    assert.equal((await assistant.use('get_job', { id })).data.job.status, 'AWAITING_APPROVAL');
    return id;
  }

  it('of rows are a job with a preview', async () => {
    const rows = [
      { sku: 'D-1', attributes: { Price: 2 } },
      { sku: 'D-2', attributes: { Price: '2.5', Title: null } },
      { sku: 'D-3', attributes: { Price: 'much' } },
    ];
    const told = await assistant.use('propose_changes', { mode: 'update', rows });
    const id = await assertWaits(told);
    const { job, changes, preview } = told.data;
    assert.deepEqual([job.rows.updated, job.rows.failed], [2, 1]);
    assert.equal(changes.operations.UPDATED, 2);
    assert.deepEqual(
      preview.map(({ sku, attributes }: { sku: string; attributes: unknown }) => [sku, attributes]),
      [
        ['D-1', { Price: { before: '1', after: '2' } }],
        ['D-2', { Price: { before: '1', after: '2.5' }, Title: { before: 'D-2' } }],
      ],
    );
    const errors = await assistant.use('job_errors', { id });
    assert.deepEqual(
      errors.data.errors.map(({ row, column }: { row: number; column: string }) => [row, column]),
      [[3, 'Price']],
    );
    const first = await assistant.use('job_changes', { id, limit: 1 });
    assert.equal(first.data.changes.length, 1);
    const second = await assistant.use('job_changes', { id, limit: 1, after: first.data.next });
    assert.equal(second.data.changes[0].sku, 'D-2');
  });

  it('of new items and of deletions wait as well', async () => {
    const rows = [{ sku: 'N-1', nodeName: 'Disk', attributes: { Title: 'New' } }];
    for (const mode of ['insert', 'upsert']) {
      const told = await assistant.use('propose_changes', { mode, rows, onError: 'abort' });
      await assertWaits(told);
      assert.equal(told.data.changes.operations.CREATED, 1, mode);
    }
    const told = await assistant.use('propose_changes', { mode: 'delete', rows: [{ sku: 'D-1' }, { sku: 'D-2' }] });
    await assertWaits(told);
    assert.equal(told.data.changes.operations.DELETED, 2);
    const deleted = [{ sku: 'D-1' }, { sku: 'D-2', attributes: { Title: 'no' } }];
    const { error } = await assistant.fail('propose_changes', { mode: 'delete', rows: deleted });
    assert.match(error.message, /^row 2 of a deletion has more than a sku/, 'rows count from 1, as in job_errors');
  });

  it('of a file are what was inspected and decided, with what the catalog lacks', async () => {
    writeFileSync(join(folder.path, 'erp.csv'), FOREIGN);
    const inspected = await assistant.use('inspect_file', { path: 'erp.csv', limit: 2 });
    const { file, state, rows, lines, lineCount, questions, missing, next } = inspected.data;
    assert.deepEqual([state, rows, lines.length, next], ['INSPECTED', 3, 2, '2']);
    assert.ok(lineCount >= 4);
    const rest = await assistant.use('inspect_file', { fileId: file.id, after: next, limit: 50 });
    assert.deepEqual([rest.data.lines.length, rest.data.next], [lineCount - 2, undefined]);
    const asked = questions.map(({ column }: { column: string }) => column);
    assert.ok(asked.includes('Gültig bis'), JSON.stringify(questions));
    assert.equal(missing.attributes.count, 1);

    const open = await assistant.fail('propose_file', { fileId: file.id });
    assert.equal(open.error.code, 'UNDECIDED');
    assert.ok(open.error.problems?.some(({ message }) => message.includes('"dd.MM.yyyy"')));
    assert.equal(open.error.file?.id, file.id);
    const wrong = { 'Gültig bis': 'yyyy' };
    assert.equal(
      (await assistant.fail('propose_file', { fileId: file.id, decisions: wrong })).error.code,
      'DECISION_INVALID',
    );
    assert.deepEqual(await prices(), UNCHANGED);

    const decisions = Object.fromEntries(
      questions.map(({ column, readings }: { column: string; readings: { value: string }[] }) => [
        column,
        readings.find(({ value }) => value === 'dd.MM.yyyy' || value === 'Disk')?.value ?? readings[0]?.value,
      ]),
    );
    const createMissing = { attributes: true, assignments: true };
    const told = await assistant.use('propose_file', { fileId: file.id, decisions, createMissing, mode: 'update' });
    const id = await assertWaits(told);
    const changed = await assistant.use('job_changes', { id, sku: 'D-1', attributes: ['Price'] });
    assert.deepEqual(changed.data.changes[0].attributes.Price, { before: '1', after: '1.5' });
    assert.equal((await shop.ask('GET', '/api-product/v1/product/attribute')).count, 2, 'nothing is created either');
    assert.equal((await assistant.fail('propose_file', { fileId: file.id, decisions })).error.status, 409);
  });

  it('of a file of a known form can go by its profile, which the inspection names', async () => {
    copyFileSync('examples/shops/prestashop.csv', join(folder.path, 'shop.csv'));
    const { file, profiles, lineCount } = (await assistant.use('inspect_file', { path: 'shop.csv' })).data;
    const [fitting] = profiles;
    assert.deepEqual([profiles.length, fitting.name, fitting.columns], [1, 'prestashop', 28]);
    assert.match(fitting.description, /^The products of PrestaShop/);
    const more = await assistant.use('inspect_file', { fileId: file.id, after: String(lineCount - 1) });
    assert.equal(more.data.profiles, undefined);
    const createMissing = { attributes: true, options: true, categories: true, assignments: true };
    const told = await assistant.use('propose_file', { fileId: file.id, profile: fitting.name, createMissing });
    await assertWaits(told);
    assert.equal(told.data.changes.operations.CREATED, 10);
  });

  it('of a sheet come after what only those see who open it', async () => {
    writeFileSync(join(folder.path, 'hidden.ods'), await hiddenCellsFile());
    const { text, data } = await assistant.use('inspect_file', { path: 'hidden.ods' });
    assert.deepEqual(data.format.notes, HIDDEN_CELLS_NOTES);
    assert.ok(text.includes(HIDDEN_CELLS_NOTES.join(' ')), text);
    copyFileSync('examples/shops/prestashop.csv', join(folder.path, 'shop.csv'));
    assert.equal((await assistant.use('inspect_file', { path: 'shop.csv' })).data.format.notes, undefined);
  });

  it('of a file with our own columns need no inspection', async () => {
    writeFileSync(join(folder.path, 'own.csv'), 'sku,Price\nD-1,7\nD-2,8\n');
    const told = await assistant.use('propose_file', {
      path: 'own.csv',
      profile: null,
      mode: 'update',
      onError: 'abort',
    });
    await assertWaits(told);
    assert.equal(told.data.changes.operations.UPDATED, 2);
  });

  it('are applied when somebody else approves them, and not when it is rejected', async () => {
    const propose = async (price: string) => {
      const rows = [{ sku: 'D-1', attributes: { Price: price } }];
      return assertWaits(await assistant.use('propose_changes', { mode: 'update', rows }));
    };
    const scopes = ['catalog:read', 'catalog:approve'];
    const { token } = await createToken(world.db, { accountId: shop.account, name: 'person', scopes });
    const headers = { authorization: `Bearer ${token}` };
    const [rejected, approved] = [await propose('8'), await propose('9')];
    for (const [id, action] of [
      [rejected, 'reject'],
      [approved, 'approve'],
    ]) {
      const { status, text } = await shop.post(`/jobs/${id}/actions/${action}`, {}, { headers });
      assert.ok(status < 300, text);
    }
    await shop.outcome(approved);
    const { job } = (await assistant.use('get_job', { id: rejected })).data;
    assert.deepEqual([job.status, job.reason], ['REJECTED', 'NOT_APPROVED']);
    assert.deepEqual(await prices(), { ...UNCHANGED, 'D-1': '9' });
    const history = await assistant.use('item_history', { sku: 'D-1', limit: 1 });
    assert.equal(history.data.changes[0].jobId, approved);
  });

  it('that would change nothing are not left for approval', async () => {
    const rows = [{ sku: 'D-1', attributes: { Price: '1' } }];
    const { text, data } = await assistant.use('propose_changes', { mode: 'update', rows });
    assert.match(text, /has ended: COMPLETED. There is nothing to approve.$/);
    assert.deepEqual([data.job.rows.unchanged, data.job.needsApproval, data.preview], [1, true, []]);
  });

  it('need a token that may propose, and none that may write', async () => {
    const scopes = ['catalog:read', 'catalog:propose'];
    const { token } = await createToken(world.db, { accountId: shop.account, name: 'assistant', scopes });
    const env = { LONGSHORE_URL: world.api.url, LONGSHORE_ACCOUNT: shop.account, LONGSHORE_TOKEN: token };
    const proposer = await startAssistant({ cwd: folder.path, env });
    try {
      const rows = [{ sku: 'D-1', attributes: { Price: '2' } }];
      await assertWaits(await proposer.use('propose_changes', { mode: 'update', rows }));
      writeFileSync(join(folder.path, 'few.csv'), 'SKU,Price\nD-1,7\n');
      const { file } = (await proposer.use('inspect_file', { path: 'few.csv' })).data;
      await assertWaits(await proposer.use('propose_file', { fileId: file.id, profile: null, mode: 'update' }));
    } finally {
      await proposer.stop();
    }
  });

  it('are refused with the reason where a file is none', async () => {
    writeFileSync(join(folder.path, 'image.csv'), Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'));
    const { error } = await assistant.fail('inspect_file', { path: 'image.csv' });
    assert.equal(error.status, 422);
    writeFileSync(join(folder.path, 'notes.txt'), 'sku\n');
    assert.equal((await assistant.fail('inspect_file', { path: 'notes.txt' })).error.status, 400);
  });
});

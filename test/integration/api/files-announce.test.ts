import assert from 'node:assert/strict';
import { newId } from '../../../src/domain/kernel/identifier.js';
import { type Announced, type FilesError, type FileWorld, startFileWorld } from '../../support/worlds/file-world.js';

describe('announcing a file', () => {
  let world: FileWorld;
  before(async () => {
    world = await startFileWorld();
  });
  after(() => world.api.stop());

  it('answers where to upload it, and makes its job', async () => {
    const { api } = world;
    const askedAt = Date.now();
    const response = await world.ask({ fileName: 'Größe.csv.gz', fileType: 'ITEM_IMPORT', locale: 'de-DE' });
    const answeredAt = Date.now();
    assert.equal(response.status, 200);
    const answer = (await response.json()) as Announced;
    const { id, jobId, location, expiresAt, createdAt, partBytes, ...rest } = answer;
    assert.equal(partBytes, 16_777_216);
    assert.deepEqual(rest, { type: 'ITEM_IMPORT', name: 'Größe.csv.gz', locale: 'de-DE' });
    assert.match(id, /^[0-9a-f]{24}$/);
    assert.match(location, new RegExp(`^${api.url}/uploads/${id}\\?expires=\\d+&signature=[\\w-]{43}$`));
    assert.ok(Date.parse(createdAt) > 0);
    // By the clock of the process, as the address is checked: createdAt is a time of the database's clock.
    const expiry = Date.parse(expiresAt);
    assert.ok(expiry >= askedAt + 15 * 60_000 && expiry < answeredAt + 15 * 60_000 + 1_000, expiresAt);
    assert.equal(new URL(location).searchParams.get('expires'), String(Date.parse(expiresAt) / 1000));

    const file = await world.file(id);
    assert.equal(file.status, 'AWAITING_UPLOAD');
    assert.equal(file.job_id, jobId);
    assert.equal(file.expires_at?.toISOString(), expiresAt);
    const job = await world.job(jobId);
    assert.deepEqual(
      [job.status, job.type, job.kind, job.input_file_id, job.account_id, job.line_no, job.step],
      ['AWAITING_UPLOAD', 'ITEM_IMPORT', 'item', id, api.account, null, null],
    );
    const implied = ['mode', 'onError', 'validateOnly'];
    assert.deepEqual(job.options, { mode: 'upsert', onError: 'skip', validateOnly: false, implied });
    assert.equal(await world.isEnqueued(jobId), false);
  });

  for (const [type, kind] of [
    ['ITEM_IMPORT', 'item'],
    ['PRODUCT_IMPORT', 'item'],
    ['ITEM_VARIANT_IMPORT', 'item'],
    ['ATTRIBUTE_IMPORT', 'attribute'],
  ] as const) {
    it(`takes ${type}, by either of the names of its fields`, async () => {
      const announced = (await (await world.ask({ name: 'a.csv', type })).json()) as Announced;
      const job = await world.job(announced.jobId);
      assert.deepEqual([announced.type, job.type, job.kind], [type, type, kind]);
    });
  }

  it('keeps the options and the channel with the job', async () => {
    const { api } = world;
    const options = {
      mode: 'insert',
      delimiter: ';',
      decimalSeparator: ',',
      dateFormat: 'dd.MM.yyyy',
      encoding: 'latin1',
    };
    const context = JSON.stringify({ account: api.account, channel: 12 });
    const announced = await world.announce({ options }, { ...api.headers(), 'x-site-context': context });
    const job = await world.job(announced.jobId);
    assert.deepEqual(job.options, {
      ...options,
      onError: 'skip',
      validateOnly: false,
      implied: ['onError', 'validateOnly'],
    });
    assert.equal(job.channel, 12);
    assert.equal(job.shared, true);
  });

  for (const [body, path, message] of [
    [{ fileType: 'ITEM_IMPORT' }, 'fileName', /missing.*"fileName"/],
    [{ fileName: 'a.csv' }, 'fileType', /missing.*"fileType"/],
    [{ fileName: 'a.csv', name: 'b.csv', fileType: 'ITEM_IMPORT' }, 'name', /not the same as "fileName"/],
    [{ fileName: 'a.csv', fileType: 'ITEM' }, 'fileType', /ITEM_IMPORT, PRODUCT_IMPORT/],
    [{ fileName: 'a.xls', fileType: 'ITEM_IMPORT' }, 'fileName', /no ending that can be imported.*\.xlsx/],
    [{ fileName: 'a/b.csv', fileType: 'ITEM_IMPORT' }, 'fileName', /path separator/],
    [{ fileName: 'a.txt', fileType: 'ITEM_IMPORT' }, 'fileName', /\.csv, \.tsv/],
    [{ fileName: 1, fileType: 'ITEM_IMPORT' }, 'fileName', /must be a text/],
    [{ fileName: 'a.csv', fileType: 'ITEM_IMPORT', locale: 'no locale' }, 'locale', /locale/],
    [{ fileName: 'a.csv', fileType: 'ITEM_IMPORT', options: { onError: 'stop' } }, 'options.onError', /abort/],
    [
      { fileName: 'a.csv', fileType: 'ITEM_IMPORT', options: { callbackUrl: 'mailto:a@b.example' } },
      'options.callbackUrl',
      /http:\/\/ or https/,
    ],
    [{ fileName: 'a.csv', fileType: 'ITEM_IMPORT', callbackUrl: 'http://10.0.0.1/' }, 'callbackUrl', /blocked address/],
    [
      { fileName: 'a.csv', fileType: 'ITEM_IMPORT', options: { dateFormat: 'dd.mm.yyyy' } },
      'options.dateFormat',
      /minutes/,
    ],
    [
      { fileName: 'a.jsonl.gz', fileType: 'ITEM_IMPORT', options: { dateFormat: 'dd.MM.yyyy' } },
      'options.dateFormat',
      /applies only to CSV, TSV, XLSX, ODS, and this file is JSONL: leave it out/,
    ],
    [{ name: 'a.csv', type: 'ITEM_IMPORT', options: { sheet: 'Items' } }, 'options.sheet', /applies only to XLSX/],
  ] as const) {
    it(`is refused with the reason: ${JSON.stringify(body).slice(0, 90)}`, async () => {
      const response = await world.ask(body);
      const error = (await response.json()) as FilesError;
      assert.equal(response.status, 400, error.message);
      assert.equal(error.type, 'CLIENT_ERROR');
      assert.equal(error.errors[0]?.path, path);
      assert.match(error.errors[0]?.message ?? '', message);
    });
  }

  it('answers the same again for the same Idempotency-Key, and makes one file and one job', async () => {
    const { api } = world;
    const headers = { ...api.headers(), 'idempotency-key': newId() };
    const body = { fileName: 'once.csv', fileType: 'ITEM_IMPORT' };
    const answers = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const response = await world.ask(body, headers);
        return { status: response.status, text: await response.text() };
      }),
    );
    for (const answer of answers) assert.deepEqual(answer, answers[0]);
    assert.equal(answers[0]?.status, 200);
    const count = async (table: string, column: string) =>
      Number(
        (
          await api
            .db(table)
            .where(column, (JSON.parse(answers[0]?.text ?? '') as Announced).jobId)
            .count()
        )[0]?.count,
      );
    assert.equal(Number((await api.db('file').where({ name: 'once.csv' }).count())[0]?.count), 1);
    assert.equal(await count('job', 'id'), 1);
    assert.equal((await world.ask({ ...body, fileName: 'twice.csv' }, headers)).status, 422);
  });

  it('needs the scope catalog:write, and a context of the caller', async () => {
    const { api } = world;
    const body = { fileName: 'a.csv', fileType: 'ITEM_IMPORT' };
    const reader = await api.newAccount(['catalog:read']);
    assert.equal((await world.ask(body, api.headers(reader))).status, 403);
    assert.equal((await world.ask(body, { ...api.headers({ account: reader.account }) })).status, 403);
    assert.equal((await world.ask(body, {})).status, 401);
    assert.equal((await world.ask(body, { authorization: `Bearer ${api.token}` })).status, 400);
  });
});

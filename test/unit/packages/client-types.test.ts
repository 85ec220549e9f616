/** The types of the client: generated from the API as it is, and strict enough that a misspelt field does not compile. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openapiOf } from '../../../src/api/openapi.js';
import { routes } from '../../../src/api/routes/index.js';

const REPOSITORY = fileURLToPath(new URL('../../../../', import.meta.url));
const CLIENT = join(REPOSITORY, 'packages', 'client');
const TSC = join(REPOSITORY, 'node_modules', 'typescript', 'bin', 'tsc');

const PROGRAM = `import { createClient, webhooks } from '@longshore/client';

const client = createClient({ baseUrl: 'http://127.0.0.1:3000', token: 't', site: { account: 'a', stage: 'test' } });

export async function correct(): Promise<number> {
  await client.createAttributes({ body: [{ name: 'Title', type: 'TEXT' }] }, { wait: 10 });
  await client.announceFile({ body: { fileName: 'a.csv', fileType: 'ITEM_IMPORT', options: { mode: 'insert' } } });
  const result = await client.importFile('SKU', { fileName: 'a.csv', options: { delimiter: ';' } });
  for await (const { row, message } of result.errors()) row.toFixed() + message;
  await client.bulk('upsertItems', [{ sku: 'A-1', attributes: { Title: 'x' } }]);
  await client.createWebhook({ body: { protocol: 'HTTPS', source: 'CATALOG', events: ['JOB_COMPLETED', 'PRICE_CHANGED'], target: 'https://a.example/' } });
  await client.createWebhook({ body: { protocol: 'HTTPS', source: 'PRICE_SERVICE', events: '[PRICE_CHANGED]', target: 'https://a.example/' } });
  await webhooks.verify({ body: '', headers: new Headers(), secret: 'whsec_' });
  return (await client.getJob({ id: '1' })).progressTracker.errorCount;
}

export async function wrong(): Promise<void> {
  // @ts-expect-error a field of a row is misspelt
  await client.createAttributes({ body: [{ nmae: 'Title', type: 'TEXT' }] });
  // @ts-expect-error an option of a file is misspelt
  await client.announceFile({ body: { fileName: 'a.csv', options: { modus: 'insert' } } });
  // @ts-expect-error there is no such value
  await client.importFile('SKU', { fileName: 'a.csv', options: { mode: 'replace' } });
  // @ts-expect-error a parameter of the query is misspelt
  await client.listJobs({ stauts: 'FAILED' });
  // @ts-expect-error the parameter of the path is missing
  await client.getJob({});
  // @ts-expect-error the answer has no such field
  (await client.getJob({ id: '1' })).state;
  // @ts-expect-error a key of the site context is misspelt
  client.at({ Stage: 'x' });
  // @ts-expect-error an optional field is left out, not undefined
  await client.announceFile({ body: { fileName: undefined } });
  // @ts-expect-error there is no such source
  await client.createWebhook({ body: { protocol: 'HTTPS', source: 'CATALOGUE', events: ['*'], target: 'https://a.example/' } });
  // @ts-expect-error events are names
  await client.createWebhook({ body: { protocol: 'HTTPS', source: 'OMS', events: [1], target: 'https://a.example/' } });
  // @ts-expect-error rows of items are not rows of attributes
  await client.bulk('createAttributes', [{ sku: 'A-1' }]);
}
`;

const SETTINGS = {
  compilerOptions: {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    // The declarations of the client are checked too.
    skipLibCheck: false,
    module: 'nodenext',
    target: 'es2023',
    lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'],
    types: [],
    noEmit: true,
  },
  files: ['program.ts'],
};

describe('the types of the client', function () {
  this.timeout(60_000);

  it('are generated from the API as it is', async () => {
    const own = await readFile(join(CLIENT, 'generate.mjs'));
    const digest = createHash('sha256')
      .update(JSON.stringify(openapiOf(routes)))
      .update(own)
      .digest('hex');
    for (const name of ['types.ts', 'operations.ts']) {
      const text = await readFile(join(CLIENT, 'src', 'generated', name), 'utf8');
      assert.ok(
        text.includes(digest),
        `${name} is of another API: build (npm run check), and commit what is generated`,
      );
    }
  });

  it('compile under strict and exactOptionalPropertyTypes, and refuse misspelt names', async () => {
    const folder = await mkdtemp(join(REPOSITORY, 'dist', 'client-types-'));
    try {
      await writeFile(join(folder, 'package.json'), '{"type":"module"}');
      await writeFile(join(folder, 'program.ts'), PROGRAM);
      await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(SETTINGS));
      assert.equal(await compilerOutput(folder), '');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

function compilerOutput(folder: string): Promise<string> {
  return new Promise((resolve) => {
    execFile(process.execPath, [TSC, '-p', folder, '--pretty', 'false'], (_, stdout, stderr) =>
      resolve(stdout + stderr),
    );
  });
}

/** What an assistant reaches by `longshore mcp`: its account, the files of its folders, the protocol, and nothing else. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Shop } from '../support/http/shop.js';
import { type Assistant, startAssistant } from '../support/worlds/assistant.js';
import { outcomeOf, type Place, run, signedIn, start } from '../support/worlds/command-line.js';
import { makeOpenFolder, type OpenFolder } from '../support/worlds/open-folder.js';
import { startWorld, type World } from '../support/worlds/world.js';

describe('tools for assistants, and what they reach', function () {
  this.timeout(60_000);
  let world: World;
  let folder: OpenFolder;
  let place: Place;
  let shop: Shop;
  let assistant: Assistant;
  let job: string;

  before(async () => {
    world = await startWorld({ workers: true });
    folder = makeOpenFolder();
    shop = await (await world.newShop()).define({ attributes: ['Title'], categories: { Disk: ['Title'] } });
    const rows = [{ sku: 'D-01', nodeName: 'Disk', attributes: { Title: 'Disk' } }];
    job = (await shop.post('/api-product/v1/product/bulk/insert', rows)).body.jobId;
    await shop.outcome(job);
    place = signedIn(folder.path, { baseUrl: world.api.url, account: shop.account, token: shop.token });
    assistant = await startAssistant(place);
  });
  after(async () => {
    await assistant?.stop();
    await world?.stop();
    folder?.remove();
  });

  const others: Assistant[] = [];
  afterEach(async () => {
    for (const one of others.splice(0)) await one.stop();
  });
  /** An assistant of another account, or with another token; it is stopped after the test. */
  async function other({ account, token }: { account: string; token: string }, args: string[] = []) {
    const env = { ...place.env, LONGSHORE_URL: world.api.url, LONGSHORE_ACCOUNT: account, LONGSHORE_TOKEN: token };
    const one = await startAssistant({ ...place, env }, args);
    others.push(one);
    return one;
  }

  it('upload only files of the folders that people have named', async () => {
    const secret = makeOpenFolder();
    writeFileSync(join(secret.path, 'keys.csv'), 'sku\na\n');
    symlinkSync(join(secret.path, 'keys.csv'), join(folder.path, 'link.csv'));
    writeFileSync(join(folder.path, 'empty.csv'), '');
    const before = (await shop.ask('GET', '/files/product')).count;
    for (const path of [join(secret.path, 'keys.csv'), '../keys.csv', 'link.csv', 'absent.csv', '/etc/passwd']) {
      for (const tool of ['inspect_file', 'propose_file']) {
        const { error } = await assistant.fail(tool, { path });
        assert.equal(error.code, 'FILE_NOT_FOUND', path);
        assert.match(error.advice ?? '', /--folder/);
      }
    }
    assert.equal((await assistant.fail('inspect_file', { path: 'empty.csv' })).error.code, 'FILE_EMPTY');
    assert.equal((await assistant.fail('inspect_file', {})).error.code, 'INPUT_INVALID');
    assert.equal((await shop.ask('GET', '/files/product')).count, before);
    secret.remove();
  });

  it('are not served for a folder that does not exist', async () => {
    writeFileSync(join(folder.path, 'file.csv'), 'sku\na\n');
    for (const path of [join(folder.path, 'absent'), join(folder.path, 'file.csv')]) {
      const { code, stdout, stderr } = await run(['mcp', '--folder', folder.path, path], place);
      assert.deepEqual([code, stdout], [1, '']);
      assert.equal(stderr, `error --folder ${path}: there is no such folder\n`);
    }
  });

  it('find nothing in an account that has nothing, and nothing of another account', async () => {
    const empty = await other(await world.newShop());
    for (const [tool, given, member] of [
      ['find_items', {}, 'items'],
      ['find_definitions', { kind: 'attributes' }, 'definitions'],
      ['find_definitions', { kind: 'categories' }, 'definitions'],
      ['find_jobs', {}, 'jobs'],
    ] as const) {
      const { data } = await empty.use(tool, given);
      assert.deepEqual([data[member], data.count, data.next], [[], 0, undefined], tool);
    }
    const { cursor } = (await empty.use('catalog_changes')).data;
    assert.deepEqual((await empty.use('catalog_changes', { since: cursor })).data.changes, []);
    for (const tool of ['get_job', 'job_errors', 'job_changes']) {
      assert.equal((await empty.fail(tool, { id: job })).error.status, 404, tool);
    }
    const elsewhere = await other(shop, ['--stage', 'elsewhere']);
    assert.equal((await elsewhere.use('find_items')).data.count, 0);
  });

  it('say what is wrong with a token, and do not repeat it', async () => {
    const token = 'not-a-token-at-all';
    const wrong = await other({ account: shop.account, token });
    const { error, text } = await wrong.fail('find_items');
    assert.equal(error.status, 401);
    assert.match(text, /give another one, or log in with/);
    assert.ok(!text.includes(token));
    assert.ok(!wrong.log().includes(token));
  });

  it('say that the account is not that of the token, and not that a scope is missing', async () => {
    const { account } = await world.newShop();
    const mixed = await other({ account, token: shop.token }, ['--folder', folder.path]);
    for (const [tool, given] of [
      ['find_items', {}],
      ['propose_changes', { mode: 'update', rows: [{ sku: 'D-01' }] }],
    ] as const) {
      const { error, text } = await mixed.fail(tool, given);
      assert.equal(error.status, 403);
      assert.match(text, /an account that is not the token's.*start it with the account of the token/);
      assert.doesNotMatch(text, /scope/);
    }
  });

  it('propose nothing with a token that may only read', async () => {
    writeFileSync(join(folder.path, 'items.csv'), 'sku,Title\nD-01,Other\n');
    const reader = await other(await world.api.newAccount(['catalog:read']), ['--folder', folder.path]);
    assert.equal((await reader.use('find_items')).data.count, 0);
    const rows = [{ sku: 'D-01', attributes: { Title: 'Other' } }];
    for (const [tool, given] of [
      ['propose_changes', { mode: 'update', rows }],
      ['inspect_file', { path: 'items.csv' }],
      ['propose_file', { path: 'items.csv' }],
    ] as const) {
      const { error } = await reader.fail(tool, given);
      assert.equal(error.status, 403, tool);
      assert.match(error.advice ?? '', /catalog:propose or catalog:write/, tool);
    }
  });

  it('write nothing but the protocol to standard output, and end with standard input', async () => {
    const { child, ended, say, answered } = startRaw(place);
    child.stdin?.write('this is no message\n');
    say({ id: 2, method: 'tools/call', params: { name: 'get_item', arguments: { sku: 'nobody' } } });
    say({ id: 3, method: 'tools/call', params: { name: 'find_items', arguments: {} } });
    await answered(2, 3);
    child.stdin?.end();
    const { code, stdout, stderr } = await ended;
    assert.equal(code, 0);
    const lines = stdout.trimEnd().split('\n');
    for (const line of lines) assert.equal(JSON.parse(line).jsonrpc, '2.0');
    assert.equal(lines.length, 3);
    assert.match(stderr, /stage production/);
    assert.match(stderr, /protocol: /);
  });

  it('end with standard input also while a system does not answer', async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const env = { ...place.env, LONGSHORE_URL: url, LONGSHORE_ACCOUNT: shop.account, LONGSHORE_TOKEN: 'some-token' };
    const asked = once(silent, 'request');
    const { child, ended, say } = startRaw({ ...place, env });
    say({ id: 2, method: 'tools/call', params: { name: 'find_items', arguments: {} } });
    await asked;
    child.stdin?.end();
    assert.equal((await ended).code, 0);
    silent.closeAllConnections();
    silent.close();
  });

  it('are not served without credentials, and the reason is on standard error', async () => {
    const nowhere = makeOpenFolder();
    const url = 'http://127.0.0.1:9';
    const args = ['mcp', '--url', url];
    const { code, stdout, stderr } = await outcomeOf(start(args, { cwd: nowhere.path, env: place.env }));
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /there are no credentials for/);
    nowhere.remove();
  });
});

/** The process with the messages of its streams, in which the conversation has begun. */
function startRaw(place: Place) {
  const child = start(['mcp'], place, 'pipe');
  const ended = outcomeOf(child);
  const say = (message: object) => child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  let stdout = '';
  /** Waits for the answers to these requests. */
  const answered = (...ids: readonly number[]) =>
    new Promise<void>((resolve) => {
      child.stdout?.on('data', (text: string) => {
        stdout += text;
        if (ids.every((id) => stdout.includes(`"id":${id}}`))) resolve();
      });
    });
  const clientInfo = { name: 'raw', version: '1' };
  say({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } });
  say({ method: 'notifications/initialized' });
  return { child, ended, say, answered };
}

/** What the command line does with a terminal and a pipe: secrets that are typed, signals, a closed terminal, standard input. */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient, type LongshoreClient } from '@longshore/client';
import { until } from '../support/until.js';
import {
  outcomeOf,
  type Place,
  type Run,
  run,
  signedIn,
  start,
  startOnTerminal,
} from '../support/worlds/command-line.js';
import { makeOpenFolder, type OpenFolder } from '../support/worlds/open-folder.js';
import { startWorld, type World } from '../support/worlds/world.js';

/** `script` of util-linux makes the terminal; that of other systems has other options. */
const HAS_TERMINAL = process.platform === 'linux';

describe('the command line on a terminal and in a pipe', function () {
  this.timeout(60_000);
  let world: World;
  let folder: OpenFolder;
  let client: LongshoreClient;
  let token: string;
  let account: string;
  let place: Place;
  let temporary: string;

  before(async () => {
    world = await startWorld({ workers: true });
    folder = makeOpenFolder();
    ({ account, token } = await world.newShop());
    const baseUrl = world.api.url;
    client = createClient({ baseUrl, token, site: { account } });
    const { cwd, env } = signedIn(folder.path, { baseUrl, account, token });
    temporary = join(folder.path, 'tmp');
    mkdirSync(temporary);
    place = { cwd, env: { ...env, TMPDIR: temporary } };
    await client.bulk('createAttributes', [
      { name: 'Title', type: 'TEXT' },
      { name: 'Price', type: 'DECIMAL' },
    ]);
    const { nodeId } = await client.createCategory({ body: { name: 'Disk' } });
    const itemAttributes = ['Title', 'Price'].map((name) => ({ name, action: 'SET' as const }));
    await client.setCategoryAttributes({ body: { nodeId, itemAttributes } });
  });
  after(async () => {
    await world.stop();
    folder.remove();
  });

  const runHere = (args: readonly string[]): Promise<Run> => run(args, place);

  describe('login', () => {
    it('does not show the token that is typed, and shows what is no secret', async function () {
      if (!HAS_TERMINAL) return this.skip();
      const asking = startOnTerminal(['login'], place);
      const ended = outcomeOf(asking);
      await typeAfter(asking, 'Address of the system: ', `${world.api.url}\r`);
      await typeAfter(asking, 'Account: ', `${account}\r`);
      await typeAfter(asking, 'Token: ', `${token}\r`);
      const { code, stdout } = await ended;
      assert.equal(code, 0, stdout);
      assert.ok(stdout.includes(account), 'the account is shown');
      assert.ok(!stdout.includes(token), stdout);
      assert.match(stdout, /Logged in to /);
    });

    it('ends with 130 on Ctrl-C and with 1 at the end of its input', async function () {
      if (!HAS_TERMINAL) return this.skip();
      for (const [question, answers, key, expected] of [
        ['Address of the system: ', [], '\u0003', 130],
        ['Token: ', ['--url', world.api.url, '--account', account], '\u0003', 130],
        ['Address of the system: ', [], '\u0004', 1],
        ['Token: ', ['--url', world.api.url, '--account', account], '\u0004', 1],
      ] as const) {
        const asking = startOnTerminal(['login', ...answers], place);
        const ended = outcomeOf(asking);
        await typeAfter(asking, question, key);
        const { code, stdout } = await ended;
        assert.equal(code, expected, stdout);
        if (expected === 1) assert.match(stdout, /you are not logged in: --(url|token) was not answered/);
      }
    });
  });

  describe('webhooks listen', () => {
    for (const [signal, expected] of [
      ['SIGINT', 130],
      ['SIGTERM', 143],
      ['SIGHUP', 129],
    ] as const) {
      it(`deletes its definition on ${signal}, and ends with ${expected}`, async () => {
        const listening = start(['webhooks', 'listen'], place);
        const ended = outcomeOf(listening);
        await shown(listening.stderr, 'Listening');
        listening.kill(signal);
        assert.equal((await ended).code, expected);
        assert.deepEqual(await client.listWebhooks(), []);
      });
    }

    it('deletes its definition when its terminal is closed', async function () {
      if (!HAS_TERMINAL) return this.skip();
      const listening = startOnTerminal(['webhooks', 'listen', '--source', 'OMS', '--events', 'ORDER_CREATED'], place);
      const ended = once(listening, 'close');
      await shown(listening.stdout, 'Listening');
      const [definition] = await client.listWebhooks();
      assert.ok(definition !== undefined);
      // The terminal is gone with the program that made it; the kernel sends SIGHUP to what runs on it.
      listening.kill('SIGKILL');
      await ended;
      await gone(client, definition.webhookId);
    });

    it('deletes its definition when the reader of its output has seen enough', async () => {
      const listening = start(['webhooks', 'listen', '--source', 'OMS', '--events', 'ORDER_CREATED', '--json'], place);
      const ended = outcomeOf(listening);
      await shown(listening.stderr, 'Listening');
      listening.stdout?.destroy();
      await client.emitEvent({ body: { source: 'OMS', event: 'ORDER_CREATED', payload: { id: 'O-1' } } });
      assert.equal((await ended).code, 0);
      assert.deepEqual(await client.listWebhooks(), []);
    });
  });

  describe('import -', () => {
    const piped = async (text: string, ...args: string[]): Promise<Run> => {
      const importing = start(['import', '-', ...args], place, 'pipe');
      const ended = outcomeOf(importing);
      importing.stdin?.end(text);
      return ended;
    };

    it('imports what arrives on standard input', async () => {
      const { code, stdout, stderr } = await piped('SKU,Category Node,Title,Price\nI-1,Disk,One,1\n');
      assert.equal(code, 0, stderr);
      assert.match(stdout, /^1 created, /m);
      assert.match(stderr, /^standard input → /);
    });

    it('reads the format from --name, and writes the rows that failed beside it', async () => {
      const rows = '{"sku":"I-2","nodeId":"Disk","attributeValues":[{"name":"Price","value":"x"}]}\n';
      const { code, stdout, stderr } = await piped(rows, '--name', 'prices.jsonl');
      assert.equal(code, 2, stderr + stdout);
      const names = readdirSync(folder.path).filter((name) => name.startsWith('prices.errors'));
      assert.equal(names.length, 1, stdout);
      assert.match(readFileSync(join(folder.path, names[0] ?? ''), 'utf8'), /I-2/);
    });

    it('refuses nothing to read, and says what to write', async () => {
      const { code, stderr } = await piped('');
      assert.equal(code, 1);
      assert.match(stderr, /^error standard input is empty: its first line must name the columns\n$/);
    });

    it('leaves no copy of its input behind, also when it is killed by Ctrl-C', async () => {
      const importing = start(['import', '-'], place, 'pipe');
      const ended = outcomeOf(importing);
      importing.stdin?.write('SKU,Category Node\n');
      await until('there is a copy', () => readdirSync(temporary).length > 0, 30_000);
      importing.kill('SIGINT');
      assert.equal((await ended).code, 130);
      assert.deepEqual(readdirSync(temporary), []);
    });
  });

  it('names the address of a token that is given, before it is sent anywhere', async () => {
    const { code, stderr } = await runHere(['status', '--token', 'x', '--account', account]);
    assert.equal(code, 1);
    assert.match(stderr, /^error name the system of the token: --url \(LONGSHORE_URL\)\n$/);
  });

  it('writes messages whole in a pipe', async () => {
    writeFileSync(join(folder.path, 'long.csv'), 'SKU,Category Node,Title,Price\nL-1,Nowhere,One,1\n');
    const { stdout } = await runHere(['import', 'long.csv']);
    const [job] = (await client.listJobs({ limit: 1 })).data;
    const [group] = (await client.getJob({ id: job?.id ?? '' })).errorSummary;
    assert.ok((group?.example ?? '').length > 100, group?.example);
    assert.ok(stdout.includes(group?.example ?? 'nothing'), stdout);
    assert.ok(!stdout.includes('…'), stdout);
  });

  it('writes each problem of a header on a line of its own', async () => {
    const columns = Array.from({ length: 41 }, (_, index) => `Unknown Column ${index}`);
    writeFileSync(
      join(folder.path, 'header.csv'),
      `SKU,Category Node,${columns.join(',')}\nH-1,Disk${','.repeat(41)}\n`,
    );
    const { code, stdout } = await runHere(['import', 'header.csv']);
    assert.equal(code, 1);
    const lines = stdout.split('\n');
    assert.ok(Math.max(...lines.map((line) => line.length)) < 400, stdout);
    assert.equal(lines.filter((line) => /^ {2}\(\d+\) .*Unknown Column \d+/.test(line)).length, 41, stdout);
  });

  it('names options as they are typed here', async () => {
    writeFileSync(join(folder.path, 'latin.csv'), Buffer.from('SKU,Category Node,Title\nE-1,Disk,K\xe4se\n', 'latin1'));
    const latin = await runHere(['import', 'latin.csv']);
    assert.match(latin.stdout, /--encoding/);
    const wrong = await runHere(['import', 'latin.csv', '--encoding', 'latin-99']);
    assert.match(wrong.stderr, /--encoding: The encoding "latin-99"/);
    writeFileSync(join(folder.path, 'atomic.csv'), 'SKU,Category Node,Price\nA-1,Disk,x\n');
    const atomic = await runHere(['import', 'atomic.csv', '--atomic']);
    assert.match(atomic.stdout, /--atomic/);
    for (const { stdout, stderr } of [latin, wrong, atomic]) assert.doesNotMatch(stdout + stderr, /options\.|onError/);
  });

  it('says once that attributes are not assigned, with the commands that assign them', async () => {
    const names = ['Vendor', 'Tags', 'Weight', 'Origin'];
    await client.bulk(
      'createAttributes',
      names.map((name) => ({ name, type: 'TEXT' as const })),
    );
    const rows = ['S-1', 'S-2'].map((sku) => `${sku},Disk,x,x,x,x`);
    writeFileSync(join(folder.path, 'shop.csv'), `SKU,Category Node,${names.join(',')}\n${rows.join('\n')}\n`);
    const { code, stdout } = await runHere(['import', 'shop.csv']);
    assert.equal(code, 2, stdout);
    const [{ errorSummary } = { errorSummary: [] }] = (await client.listJobs({ limit: 1 })).data;
    assert.deepEqual(
      errorSummary.map((group) => [group.code, group.path, group.count, group.rows]),
      [['ATTRIBUTE_NOT_ASSIGNED', null, 2, '2-3']],
    );
    assert.match(
      errorSummary[0]?.example ?? '',
      /^4 attributes .*"Origin", "Tags", "Vendor", "Weight".*Item Attributes/,
    );
    const commands = [...stdout.matchAll(/^ {2}longshore (.*categories.*)$/gm)].map(([, words = '']) =>
      words.split(' '),
    );
    assert.equal(commands.length, 2, stdout);
    assert.equal((await runHere(commands[0] ?? [])).code, 0);
    const file = join(folder.path, 'categories.csv');
    writeFileSync(file, readFileSync(file, 'utf8').replace('Title;Price', ['Title', 'Price', ...names].join(';')));
    assert.equal((await runHere(commands[1] ?? [])).code, 0);
    assert.equal((await runHere(['import', 'shop.csv'])).code, 0);
  });

  it('keeps the column of a single attribute that is not assigned', async () => {
    await client.bulk('createAttributes', [{ name: 'Season', type: 'TEXT' }]);
    const { failed } = await client.bulk('upsertItems', [
      { sku: 'Q-1', nodeName: 'Disk', attributes: { Season: 'x' } },
    ]);
    assert.equal(failed.length, 1);
    const [{ errorSummary } = { errorSummary: [] }] = (await client.listJobs({ limit: 1 })).data;
    assert.equal(errorSummary[0]?.path, 'Season');
    assert.match(errorSummary[0]?.example ?? '', /"Season" is not assigned to the category/);
  });
});

/** Waits until an output contains a text. */
function shown(output: ChildProcess['stdout'], text: string): Promise<void> {
  let found = '';
  return new Promise((resolve) => {
    const look = (chunk: Buffer | string) => {
      found += chunk.toString();
      if (!found.includes(text)) return;
      output?.off('data', look);
      resolve();
    };
    output?.on('data', look);
  });
}

async function typeAfter(child: ChildProcess, question: string, keys: string): Promise<void> {
  await shown(child.stdout, question);
  child.stdin?.write(keys);
}

/** Waits until a definition is deleted. */
function gone(client: LongshoreClient, webhookId: string): Promise<void> {
  const isGone = async () => !(await client.listWebhooks()).some((one) => one.webhookId === webhookId);
  return until('the definition is deleted', isGone, 30_000);
}

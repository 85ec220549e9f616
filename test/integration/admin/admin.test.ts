import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answerCommand } from '../../../src/admin/answer-command.js';
import { runProgram } from '../../support/worlds/run-program.js';
import { startTestApi, type TestApi } from '../../support/worlds/test-api.js';

const KEY = 'a-key-for-tests-only-of-enough-characters';

describe('npm run admin', () => {
  let api: TestApi;
  let folder: string;
  before(async () => {
    api = await startTestApi();
    folder = await mkdtemp(join(tmpdir(), 'longshore-admin-'));
  });
  after(async () => {
    await api.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const settings = () => ({ DATABASE_URL: api.services.config.databaseUrl, SECRETS_KEY: KEY });
  const admin = (args: readonly string[], environment: Record<string, string> = {}) =>
    answerCommand(args, { ...settings(), ...environment });
  async function answer(...args: string[]): Promise<Record<string, string>> {
    const { code, stdout, stderr } = await admin([...args, '--json']);
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout) as Record<string, string>;
  }
  const status = async (token = '', account = '') =>
    (await api.fetch('/api-category/v1/category', { headers: api.headers({ token, account }) })).status;

  it('makes an account and a token that works, and revokes it', async () => {
    const account = await answer('account', 'create', '--name', 'Ship chandler');
    assert.match(account.id ?? '', /^[0-9a-f]{24}$/);
    const token = await answer('token', 'create', '--account', account.id ?? '', '--name', 'till');
    assert.equal(await status(token.token, account.id), 200);
    const revoked = await answer('token', 'revoke', token.id ?? '');
    assert.ok(revoked.revokedAt);
    const listed = JSON.stringify(await answer('token', 'list', '--account', account.id ?? ''));
    assert.ok(listed.includes(token.id ?? 'x') && !listed.includes(token.token ?? 'x'));
    assert.ok(JSON.stringify(await answer('account', 'list')).includes('Ship chandler'));
  });

  it('is a program, whose exit code says whether the command succeeded', async () => {
    const run = (...args: string[]) => runProgram('app/admin/main.js', args, settings()).end;
    const [well, wrong] = await Promise.all([run('account', 'list', '--json'), run('acount', 'list')]);
    assert.deepEqual([well.code, well.stderr], [0, '']);
    assert.ok(well.stdout.includes(api.account));
    assert.deepEqual([wrong.code, wrong.stdout], [1, '']);
    assert.match(wrong.stderr, /^error: unknown command 'acount' \(Did you mean account\?\)/);
  }).timeout(60_000);

  it('records what it does, with the user of the machine, and shows the audit log', async () => {
    const account = await answer('account', 'create', '--name', 'Watched');
    const id = account.id ?? '';
    const token = await answer('token', 'create', '--account', id, '--name', 'till');
    await answer('token', 'revoke', token.id ?? '');
    assert.equal((await admin(['token', 'revoke', 'nothing'])).code, 1);
    const shown = (await answer('audit', 'list', '--account', id)) as unknown as Record<string, string>[];
    assert.deepEqual(
      shown.map(({ action, target }) => `${action} ${target}`),
      [`TOKEN_REVOKED token/${token.id}`, `TOKEN_CREATED token/${token.id}`, `ACCOUNT_CREATED account/${id}`],
    );
    for (const { actor_kind: kind, actor_id: who } of shown) assert.match(`${kind} ${who}`, /^admin .+@.+/);
    assert.equal((await admin(['audit', 'list', '--account', id, '--action', 'X'])).code, 1);
    const operators = await answer('audit', 'list', '--operator', '--limit', '1');
    assert.ok(Array.isArray(operators));
  });

  it('makes a token of few scopes that expires', async () => {
    const token = await answer(
      ...['token', 'create', '--account', api.account, '--name', 'few', '--scopes', 'catalog:read,events:write'],
      ...['--expires-days', '2'],
    );
    assert.deepEqual(token.scopes, ['catalog:read', 'events:write']);
    const days = (Date.parse(token.expiresAt ?? '') - Date.now()) / 86_400_000;
    assert.ok(days > 1.9 && days <= 2);
  });

  it("makes an operator's token, and an OAuth client that gets tokens until it is revoked", async () => {
    const operator = await answer('token', 'create', '--operator', '--name', 'ops');
    const board = await api.fetch('/admin/queues', { headers: { authorization: `Bearer ${operator.token}` } });
    assert.equal(board.status, 200);
    const client = await answer('client', 'create', '--account', api.account, '--name', 'erp');
    const grant = () =>
      api.fetch('/oauth2/token', {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(`${client.clientId}:${client.clientSecret}`)}` },
        body: new URLSearchParams({ grant_type: 'client_credentials' }),
      });
    assert.equal((await grant()).status, 200);
    await answer('client', 'revoke', client.clientId ?? '');
    assert.equal((await grant()).status, 401);
    const listed = JSON.stringify(await answer('client', 'list', '--account', api.account));
    assert.ok(listed.includes('revokedAt') && !listed.includes(client.clientSecret ?? 'x'));
  });

  it('shows and replaces the secret of job callbacks, and seals secrets anew under a new key', async () => {
    const [before, now] = [KEY, 'the-key-that-follows-it-of-enough-characters'];
    const run = async (key: string, ...args: string[]) => {
      const { code, stdout, stderr } = await admin([...args, '--json'], { SECRETS_KEY: key });
      assert.equal(code, 0, stderr);
      return JSON.parse(stdout);
    };
    const secret = (key: string, action: string) => run(key, 'account', 'secret', action, '--account', api.account);
    const first = await secret(before, 'show');
    assert.match(first.signingSecret, /^whsec_/);
    assert.deepEqual(await secret(before, 'show'), first);
    const second = await secret(before, 'rotate');
    assert.equal(second.previousSigningSecret, first.signingSecret);
    assert.notEqual(second.signingSecret, first.signingSecret);
    assert.deepEqual(await run(`${now},${before}`, 'secrets', 'reseal'), { resealed: 2 });
    assert.deepEqual(await run(`${now},${before}`, 'secrets', 'reseal'), { resealed: 0 });
    assert.deepEqual(await secret(now, 'show'), second);
    const locked = await admin(['account', 'secret', 'show', '--account', api.account], { SECRETS_KEY: before });
    assert.match(locked.stderr, /SECRETS_KEY contains no key that opens/);
    const third = await secret('a-key-that-follows-one-that-was-lost', 'rotate');
    assert.equal(third.previousSigningSecret, null);
    assert.match(third.signingSecret, /^whsec_/);
    // What was sealed by a lost key keeps no other secret from the new key, and is told.
    const other = await answer('account', 'create', '--name', 'With an own secret');
    await run(before, 'account', 'secret', 'rotate', '--account', other.id ?? '');
    const { resealed, unopened, note } = await run(`${now},${before}`, 'secrets', 'reseal');
    assert.deepEqual([resealed >= 1, unopened], [true, 1]);
    assert.match(note, /no key of SECRETS_KEY opens these/);
    await secret(KEY, 'rotate');
  });

  it('shows lines for people', async () => {
    const { code, stdout } = await admin(['account', 'create', '--name', 'Reader']);
    assert.equal(code, 0);
    assert.match(stdout, /^id {12}[0-9a-f]{24}\nname {10}Reader\n(?:.*\n)*createdAt {5}\d{4}-/m);
  });

  for (const [what, args, told] of [
    ['an unknown command', ['accounting', 'list'], /^error: unknown command 'accounting'/],
    ['a misspelt command', ['acount', 'creat'], /^error: unknown command 'acount' \(Did you mean account\?\)$/],
    ['a misspelt part', ['token', 'crate'], /^error: unknown command 'crate' \(Did you mean create\?\)$/],
    ['a missing option', ['account', 'create'], /^error: required option '--name <text>' not specified$/],
    ['an unknown option', ['account', 'list', '--all'], /^error: unknown option '--all'/],
    [
      'a misspelt option',
      ['token', 'list', '--acount', '1'],
      /^error: unknown option '--acount' \(Did you mean --account\?\)$/,
    ],
    [
      'an option without its value',
      ['account', 'create', '--name'],
      /^error: option '--name <text>' argument missing$/,
    ],
    ['a missing argument', ['token', 'revoke'], /^error: missing required argument 'token id'$/],
    ['an argument too many', ['account', 'list', 'all'], /^error: too many arguments for 'list'/],
    ['a token of nobody', ['token', 'create', '--name', 'x'], /either --account <id> or --operator/],
    [
      'an unknown account',
      ['token', 'create', '--name', 'x', '--account', 'ffffffffffffffffffffffff'],
      /there is no account f+/,
    ],
    [
      'an unknown scope',
      ['token', 'create', '--operator', '--name', 'x', '--scopes', 'all'],
      /has the scope operator and no other/,
    ],
    ['an unknown token', ['token', 'revoke', 'x'], /there is no token x/],
    [
      'days that are none',
      ['token', 'create', '--operator', '--name', 'x', '--expires-days', 'soon'],
      /--expires-days/,
    ],
  ] as const) {
    it(`says what is wrong with ${what}, and ends with 1`, async () => {
      const { code, stderr } = await admin(args);
      assert.equal(code, 1);
      assert.match(stderr.trimEnd(), told);
      assert.equal(stderr.trimEnd().split('\n').length, 1, stderr);
      assert.ok(!stderr.includes('    at '), 'a stack trace');
    });
  }

  it('shows how to use it', async () => {
    for (const [args, shown] of [
      [[], /account .*\n(?:.*\n)*.*token .*\n(?:.*\n)*.*doctor /],
      [['--help'], /token .*tokens of accounts/],
      [['help', 'token'], /create .*Create a token and show it/],
      [['token', 'create', '--help'], /--name <text> .*what it is used for/],
    ] as const) {
      const { code, stdout } = await admin(args, { DATABASE_URL: '' });
      assert.equal(code, 0);
      assert.match(stdout, shown);
    }
    const half = await admin(['client']);
    assert.equal(half.code, 1);
    assert.match(half.stderr, /create .*Create an OAuth client/);
  });

  it('finds the database of the running embedded system in its DATA_DIR', async () => {
    const nothing = { DATABASE_URL: '', DATA_DIR: folder };
    const before = await admin(['account', 'list'], nothing);
    assert.equal(before.code, 1);
    assert.match(before.stderr, /no embedded system runs in .*; run npm start first/);
    await writeFile(join(folder, 'runtime.json'), JSON.stringify({ databaseUrl: api.services.config.databaseUrl }));
    assert.equal((await admin(['account', 'list'], nothing)).code, 0);
    await writeFile(join(folder, 'runtime.json'), '{}');
    assert.match((await admin(['account', 'list'], nothing)).stderr, /was not written by npm start/);
  });

  it('refuses an account that does not exist, and a status that no job has', async () => {
    for (const command of [['jobs'], ['audit', 'list'], ['token', 'list'], ['client', 'list'], ['person', 'removed']]) {
      const { code, stdout, stderr } = await admin([...command, '--account', 'nobody']);
      assert.deepEqual([code, stdout, stderr], [1, '', 'there is no account nobody\n'], command.join(' '));
    }
    assert.match((await admin(['jobs', '--status', 'faild'])).stderr, /^--status must be one of .*FAILED.*"FAILD"\n$/);
    assert.equal((await admin(['jobs', '--status', 'failed', '--account', api.account])).code, 0);
  });

  for (const [what, args, environment, told] of [
    ['a wrong password', ['account', 'list'], { password: 'wrong' }, /^password auth.*: correct the password/],
    ['a database that is not there', ['account', 'list'], { pathname: '/none' }, /^database "none".*: create the/],
    [
      'a queue that is away',
      ['queues'],
      { REDIS_URL: 'redis://127.0.0.1:1' },
      /^the queue does not answer; does Redis/,
    ],
    ['a folder that cannot be made', ['backup', '/dev/null/x'], {}, /^ENOTDIR: .*: a folder, or the file store/],
  ] as const) {
    it(`says so in a line for ${what}`, async () => {
      const url = new URL(settings().DATABASE_URL);
      const { REDIS_URL, ...over } = { REDIS_URL: '', ...environment };
      const { code, stderr } = await admin(args, { DATABASE_URL: Object.assign(url, over).href, REDIS_URL });
      assert.equal(code, 1);
      assert.match(stderr, told);
      assert.equal(stderr.trim().split('\n').length, 1, stderr);
    });
  }

  it('says so when the database cannot be reached', async () => {
    const { code, stderr } = await admin(['account', 'list'], { DATABASE_URL: 'postgres://x@127.0.0.1:1/x' });
    assert.equal(code, 1);
    assert.match(stderr, /the database cannot be reached/);
  });

  it('says what the database says that refuses', async () => {
    const [role, url] = [`crowded_${randomUUID().slice(0, 8)}`, new URL(api.services.config.databaseUrl)];
    await api.services.db.raw(`CREATE ROLE ${role} LOGIN PASSWORD 'one' CONNECTION LIMIT 0`);
    try {
      Object.assign(url, { username: role, password: 'one' });
      const { code, stderr } = await admin(['account', 'list'], { DATABASE_URL: url.href });
      assert.deepEqual([code, stderr], [1, `the database refuses: too many connections for role "${role}"\n`]);
    } finally {
      await api.services.db.raw(`DROP ROLE ${role}`);
    }
  });
});

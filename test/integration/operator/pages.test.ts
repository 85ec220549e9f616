/** The operators' pages over HTTP: who may see them, what they answer, and that stored text never becomes markup. */
import assert from 'node:assert/strict';
import { createAccount } from '../../../src/domain/access/accounts.js';
import { resolveSite } from '../../../src/domain/access/resolve-site.js';
import { createToken } from '../../../src/domain/access/tokens.js';
import { newId } from '../../../src/domain/kernel/identifier.js';
import { findAction, requestAction } from '../../../src/operator/actions.js';
import { Shop } from '../../support/http/shop.js';
import { webhookBody } from '../../support/http/webhook-definition.js';
import { until } from '../../support/until.js';
import { failJob } from '../../support/worlds/failed-job.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const PAGES = ['', '/', '/work', '/endpoints', '/fleet', '/actions'];
const QUESTIONS = [
  ...['wrong', 'waits', 'arrival', 'empty', 'wanted', 'slots', 'failed', 'endpoints', 'processes', 'room'],
];
const ATTACK = '<script>alert("x")</script>';
const ATTACKING_FILE = `<img src=x onerror=alert(1)>.csv`;
const SECRETS = ['the-key-of-the-target', 'the-secret-of-a-header', 'the-token-in-a-query', 'the-token-of-a-callback'];

describe("the operators' pages", function () {
  this.timeout(60_000);
  let world: World;
  let shop: Shop;
  let failed: string;
  let imported: string;

  before(async () => {
    world = await startWorld({ workers: true });
    const { db } = world;
    const { id } = await createAccount(db, { name: `Shop ${ATTACK}` });
    const { token } = await createToken(db, { accountId: id, name: 'test' });
    shop = new Shop(world.api, id, token, await resolveSite(db, id, 'production'));
    await shop.define({
      attributes: ['Title', { name: 'Weight', type: 'DECIMAL' }],
      categories: { Disk: ['Title', 'Weight'] },
    });
    ({ id: imported } = await shop.importFile(
      ATTACKING_FILE,
      `SKU,Category Node,Title,Weight\nA-1,Disk,one,1\nA-2,Disk,two,${ATTACK.replaceAll('"', "'")}\n`,
    ));
    assert.equal((await shop.outcome(imported)).status, 'COMPLETED_PARTIALLY');
    failed = await failJob(world.db, shop, [{ sku: 'B-1', nodeName: 'Disk', attributes: { Title: 'x' } }]);
    await db('job')
      .where({ id: failed })
      .update({ status_message: `it ended: ${ATTACK}` });
    const definition = webhookBody({
      target: `http://127.0.0.1:9/hook?token=${SECRETS[2]}`,
      targetApiKey: SECRETS[0],
      headers: { 'X-Key': SECRETS[1] },
    });
    const { webhookId: endpoint } = await shop.ask('POST', '/api/v2/webhook', { body: definition });
    await db('endpoint_health')
      .where({ definition_id: endpoint })
      .update({ openings: 2, open_until: db.raw("now() + interval '1 minute'"), last_error: `HTTP 500 ${ATTACK}` });
  });
  after(() => world.stop());

  const get = (path: string, headers: Record<string, string> = {}) =>
    world.api.fetch(`/admin${path}`, { headers: { authorization: `Bearer ${world.api.operatorToken}`, ...headers } });

  async function read(path: string): Promise<string> {
    const response = await get(path);
    const text = await response.text();
    assert.equal(response.status, 200, `${path}: ${text}`);
    return text;
  }

  const addresses = () => [
    ...PAGES,
    `/jobs/${imported}`,
    `/jobs/${failed}`,
    `/work?account=${shop.account}`,
    `/work?by=file&q=${encodeURIComponent(ATTACKING_FILE)}`,
    `/work?by=sku&q=A-2`,
    `/work?by=code&q=${encodeURIComponent(ATTACK)}`,
    `/endpoints?account=${shop.account}`,
    `/endpoints?account=${encodeURIComponent(`Shop ${ATTACK}`)}`,
  ];

  it('ask for the login of the dashboard, and refuse the tokens of accounts', async () => {
    for (const path of [...PAGES, `/jobs/${failed}`, '/style.css', `/actions/${newId()}`]) {
      const nobody = await world.api.fetch(`/admin${path}`);
      assert.equal(nobody.status, 401, path);
      assert.match(nobody.headers.get('www-authenticate') ?? '', /Basic realm="Longshore operators"/);
      assert.doesNotMatch(await nobody.text(), /Shop|FAILED/);
      assert.equal((await get(path, { authorization: `Bearer ${world.api.token}` })).status, 403, path);
    }
    const basic = { authorization: `Basic ${btoa(`me:${world.api.operatorToken}`)}` };
    for (const path of PAGES) assert.equal((await get(path, basic)).status, 200, path);
  });

  it('load nothing from another host, run no script, and are kept by no cache', async () => {
    for (const path of addresses()) {
      const response = await get(path);
      assert.equal(response.headers.get('cache-control'), 'no-store', path);
      const policy = response.headers.get('content-security-policy') ?? '';
      assert.match(policy, /^default-src 'none'; style-src 'self';/);
      assert.doesNotMatch(policy, /unsafe|script-src|https?:/);
      const text = await response.text();
      assert.doesNotMatch(text, /<(?:script|iframe|object|embed|base)\b|\son\w+="|javascript:/i, path);
      for (const [, address = ''] of text.matchAll(/\s(?:href|src|action)="([^"]*)"/g)) {
        assert.match(address, /^(?:\/admin|\/console\/$|\?|#|data:,)/, path);
      }
    }
    const style = await get('/style.css');
    assert.match(style.headers.get('content-type') ?? '', /text\/css/);
    assert.doesNotMatch(await style.text(), /url\(|@import/);
  });

  it('show names of accounts and files, searched texts and errors as text', async () => {
    const escaped = 'Shop &lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;';
    for (const path of addresses()) {
      const text = await read(path);
      assert.ok(!text.includes('<script'), path);
      assert.ok(!text.includes('<img'), path);
    }
    assert.ok((await read('/work')).includes(escaped));
    assert.ok((await read(`/jobs/${failed}`)).includes('it ended: &lt;script&gt;'));
    assert.ok((await read(`/jobs/${imported}`)).includes('&lt;img src=x onerror=alert(1)&gt;.csv'));
    assert.ok((await read('/endpoints')).includes('HTTP 500 &lt;script&gt;'));
  });

  it('show no secret, and of an endpoint no more than its host', async () => {
    await world.acceptRows(shop, 'upsert', [{ sku: 'C-1' }], { callbackUrl: `http://127.0.0.1:9/?t=${SECRETS[3]}` });
    const [{ id: withCallback }] = await world.db('job').orderBy('created_at', 'desc').limit(1).select('id');
    for (const path of [...addresses(), `/jobs/${withCallback}`]) {
      const text = await read(path);
      for (const secret of [...SECRETS, world.api.operatorToken, shop.token]) assert.ok(!text.includes(secret), path);
    }
    assert.match(await read('/endpoints'), /127\.0\.0\.1:9/);
  });

  it('show values of rows only to those who have searched for the SKU', async () => {
    for (const path of [...PAGES, `/jobs/${imported}`, `/work?account=${shop.account}`]) {
      assert.doesNotMatch(await read(path), /A-2|alert\(&#39;x/, path);
    }
    const found = await read('/work?by=sku&q=A-2');
    assert.match(found, /alert\(&#39;x/);
    assert.ok(found.includes(imported));
  });

  it('answer the ten questions on one page, and say what is not measured', async () => {
    const text = await read('');
    for (const id of QUESTIONS) assert.ok(text.includes(`<section id="${id}"><h2>`), id);
    assert.match(text, /WORKER_DIED/);
    assert.match(text, /<strong>workers<\/strong>: [^<]*\. <em>What to do: /);
  });

  it('show which jobs wait for an approval, and since when', async () => {
    const none = await read('');
    assert.match(none, /No job waits for an approval\./);
    const { body } = await shop.bulk('upsert', [{ sku: 'A-1', attributes: { Title: 'other' } }], {
      query: 'requireApproval=true',
    });
    const page = await read('');
    const section = page.slice(page.indexOf('<section id="approvals"'));
    assert.match(section, new RegExp(`${body.jobId}[\\s\\S]*?ITEM_BULK_UPSERT[\\s\\S]*?ago</time>`));
    assert.match(await read('/work?status=AWAITING_APPROVAL'), new RegExp(body.jobId));
    assert.match(await read(`/jobs/${body.jobId}`), /awaiting approval/);
    await shop.ask('POST', `/jobs/${body.jobId}/actions/cancel`);
  });

  it('find jobs by id, account, file name, error code, reason, status and type', async () => {
    const encoded = encodeURIComponent(ATTACKING_FILE.toUpperCase());
    const finds = async (query: string, expected: readonly string[]) => {
      const text = await read(`/work?${query}`);
      const ids = [...text.matchAll(/href="\/admin\/jobs\/([0-9a-f]{24})"/g)].map(([, id]) => id);
      assert.deepEqual(
        expected.filter((id) => !ids.includes(id)),
        [],
        query,
      );
      for (const id of [imported, failed]) assert.equal(ids.includes(id), expected.includes(id), `${query}: ${id}`);
    };
    await finds('', [imported, failed]);
    await finds(`by=job&q=${failed}`, [failed]);
    await finds(`by=account&q=${shop.account}`, [imported, failed]);
    await finds(`account=${encodeURIComponent(`Shop ${ATTACK}`)}`, [imported, failed]);
    await finds(`by=file&q=${encoded}`, [imported]);
    await finds(`by=file&q=onerror&account=${shop.account}`, [imported]);
    await finds('by=code&q=WORKER_DIED', [failed]);
    const { summary } = await shop.outcome(imported);
    await finds(`by=code&q=${summary[0]?.code}`, [imported]);
    await finds('status=FAILED', [failed]);
    await finds('type=ITEM_IMPORT&status=COMPLETED_PARTIALLY', [imported]);
    await finds(`by=account&q=${newId()}`, []);
  });

  it('find files, accounts and SKUs whether their accents are characters of their own or not', async () => {
    const CAFES = { nfc: 'Café', nfd: 'Cafe\u0301' };
    const { id } = await createAccount(world.db, { name: `Shop ${CAFES.nfd}` });
    const { token } = await createToken(world.db, { accountId: id, name: 'test' });
    const cafe = new Shop(world.api, id, token, await resolveSite(world.db, id, 'production'));
    await cafe.define({ attributes: ['Title'], categories: { Cups: ['Title'] } });
    const file = (sku: string) => `SKU,Category Node,Title\n${sku},Cups,one\n${sku},Nowhere,two\n`;
    const jobs = await Promise.all(
      Object.values(CAFES).map(async (name) => (await cafe.importFile(`${name} 1.csv`, file(name))).id),
    );
    const ids = async (query: string) => {
      const text = await read(`/work?${query}`);
      return [...new Set([...text.matchAll(/href="\/admin\/jobs\/([0-9a-f]{24})"/g)].map(([, job]) => job))].sort();
    };
    for (const written of Object.values(CAFES)) {
      const name = encodeURIComponent(written.toUpperCase());
      assert.deepEqual(await ids(`by=file&q=${name}%201.CSV`), jobs.toSorted(), written);
      assert.deepEqual(await ids(`by=file&q=${name}&account=${id}`), jobs.toSorted(), written);
      assert.deepEqual(await ids(`by=file&q=${name}%201.csv&account=Shop%20${name}`), jobs.toSorted(), written);
      const sku = encodeURIComponent(written);
      assert.deepEqual(await ids(`by=sku&q=${sku}&account=Shop%20${name}`), jobs.toSorted(), written);
      assert.match(await read(`/work?by=sku&q=${sku}&account=Shop%20${name}`), /created|item/i);
    }
  });

  it('show a job with its options, step, attempts and errors by code', async () => {
    const text = await read(`/jobs/${imported}`);
    for (const part of ['ITEM_IMPORT', 'mode', 'Fencing token', 'Failed attempts', '1 done', 'completed partially']) {
      assert.ok(text.includes(part), part);
    }
    const missing = await get(`/jobs/${newId()}`);
    assert.equal(missing.status, 404);
    assert.match(await missing.text(), /<h1>Not done \(404\)<\/h1>/);
  });

  it('hand actions to the maintenance process, and show how far it is', async () => {
    const { jobId: job } = await world.acceptRows(shop, 'insert', [{ sku: 'D-1' }]);
    const actor = { kind: 'operator', id: newId(), address: null, requestId: null } as const;
    const id = await requestAction(world.db, { action: 'cancel', filter: { job } }, actor);
    await until('the action has ended', async () => (await findAction(world.db, id)).outcome !== null, 20_000);
    assert.match(await read(`/actions/${id}`), /<span class="pill good">done<\/span> Cancel jobs: job /);
    assert.equal((await shop.ask('GET', `/jobs/${job}`)).status, 'CANCELLED');
  });

  it('show their pages one after another, none twice', async () => {
    const { account, token } = await world.api.newAccount();
    const other = new Shop(world.api, account, token, await resolveSite(world.db, account, 'production'));
    const made: string[] = [];
    for (let job = 0; job < 120; job++) made.push((await world.acceptRows(other, 'insert', [{ sku: `${job}` }])).jobId);
    const seen: string[] = [];
    for (let next: string | undefined = `/admin/work?account=${account}`; next !== undefined; ) {
      const text = await read(next.slice('/admin'.length));
      seen.push(...[...text.matchAll(/href="\/admin\/jobs\/([0-9a-f]{24})"/g)].map(([, id = '']) => id));
      next = /<a href="([^"]+)">Search older jobs<\/a>/.exec(text)?.[1]?.replaceAll('&amp;', '&');
    }
    assert.deepEqual([...seen].sort(), [...made].sort());
    assert.equal(new Set(seen).size, made.length);
  });
});

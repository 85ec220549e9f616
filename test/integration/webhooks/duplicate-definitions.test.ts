/**
 * The rule that no two definitions are identical in target, tenantId, protocol, source and apiVersion, for requests at once too.
 * Nothing is emitted, so the queue has no part in it.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { up } from '../../../db/migrations/20261122092600_normal-targets.js';
import type { Answer } from '../../support/http/call-api.js';
import type { CallOptions, Shop } from '../../support/http/shop.js';
import { webhookBody } from '../../support/http/webhook-definition.js';
import { startWorld, type World } from '../../support/worlds/world.js';

/** The text of the interface document, to the letter. */
const DUPLICATE = {
  message: 'Webhook Definition with target, tenantId, protocol, source, apiVersion already exists!',
};

describe('the duplicate rule of webhook definitions', function () {
  this.timeout(30_000);
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld();
  });
  beforeEach(async () => {
    shop = await world.newShop();
  });
  after(() => world.stop());

  const create = (over = {}, options: CallOptions = {}) =>
    shop.call('POST', '/api/v2/webhook', { ...options, body: webhookBody(over) });
  const created = async (over = {}) => {
    const { status, body } = await create(over);
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  const patch = (id: string, body: unknown) => shop.call('PATCH', `/api/v2/webhook/${id}`, { body });
  const read = (id: string) => shop.ask('GET', `/api/v2/webhook/${id}`);

  it('knows target, protocol, source and apiVersion of an account, not its stage or channel', async () => {
    const base = webhookBody({ apiVersion: 'v1', target: 'https://127.0.0.1:9/hooks/base' });
    await created(base);
    for (const over of [
      { protocol: 'HTTPS' },
      { source: 'CATALOG' },
      { apiVersion: 'v2' },
      { target: `${base.target}/` },
    ]) {
      await created({ ...base, ...over });
    }
    for (const [over, context] of [
      [{}, {}],
      [{ events: ['OTHER'] }, {}],
      [{}, { channel: 7 }],
    ] as const) {
      const answer = await create({ ...base, ...over }, { context });
      assert.deepEqual([answer.status, answer.body], [409, DUPLICATE]);
    }
    shop = await world.newShop();
    await created(base);
  });

  it('says in which stage and channel the other definition is, where a list here does not show it', async () => {
    const base = webhookBody({ target: 'https://127.0.0.1:9/hooks/elsewhere', apiVersion: 'v1' });
    const other = webhookBody({ target: 'https://127.0.0.1:9/hooks/other', apiVersion: 'v1' });
    const make = (body: object, context: NonNullable<CallOptions['context']>) => create(body, { context });
    assert.equal((await make(base, { stage: 'test' })).status, 200);
    assert.equal((await make(other, { channel: 7 })).status, 200);
    const said = ({ status, body }: Answer) => [status, body.message.replace(DUPLICATE.message, '…')];
    assert.deepEqual(said(await make(base, {})), [409, '… It is in the stage "test".']);
    assert.deepEqual(said(await make(base, { stage: 'test', channel: 7 })), [409, '…']);
    assert.deepEqual(said(await make(other, { stage: 'test' })), [
      409,
      '… It is in the stage "production", of the channel 7.',
    ]);
    assert.deepEqual(said(await make(other, { channel: 8 })), [409, '… It is of the channel 7.']);
    assert.deepEqual(said(await make(other, {})), [409, '…']);
    const { webhookId } = await created({ ...base, apiVersion: 'v2' });
    assert.deepEqual(said(await patch(webhookId, { apiVersion: base.apiVersion })), [
      409,
      '… It is in the stage "test".',
    ]);
    assert.equal((await read(webhookId)).apiVersion, 'v2');
    assert.deepEqual(said(await patch(webhookId, { target: other.target, apiVersion: other.apiVersion })), [409, '…']);
  });

  it('compares the addresses that are called, and not how they are written', async () => {
    const target = 'https://127.0.0.1/Hooks/a?b=C';
    await created({ target });
    for (const same of [
      'HTTPS://127.0.0.1:443/Hooks/a?b=C',
      'https://127.1/Hooks/x/../a?b=C#part',
      'https://127.0.0.1/Hooks/./a?b=C',
    ]) {
      const answer = await create({ target: same });
      assert.deepEqual([answer.status, answer.body], [409, DUPLICATE], same);
    }
    for (const other of [
      'https://127.0.0.1/hooks/a?b=C',
      'https://127.0.0.1:444/Hooks/a?b=C',
      'http://127.0.0.1/Hooks/a?b=C',
    ])
      await created({ target: other });
  });

  it('finds the definitions of earlier releases, whose digests were those of the text; twins stay as they are', async () => {
    const digestOf = (text: string) => createHash('sha256').update(text).digest();
    const made = [
      await created({ target: 'http://127.0.0.1:9/one' }),
      await created({ target: 'http://127.0.0.1:9/two' }),
    ];
    const old = 'HTTP://127.0.0.1:9/x/../one';
    for (const [index, { webhookId }] of made.entries()) {
      const target = `${old}${'#'.repeat(index)}`;
      await world
        .db('webhook_definition')
        .where({ id: webhookId })
        .update({ target, target_digest: digestOf(target) });
    }
    await up(world.db);
    assert.equal((await create({ target: 'http://127.0.0.1:9/one' })).status, 409);
    const digests = await world
      .db('webhook_definition')
      .whereIn(
        'id',
        made.map(({ webhookId }) => webhookId),
      )
      .pluck('target_digest');
    assert.equal(new Set(digests.map((digest: Buffer) => digest.toString('hex'))).size, 2);
  });

  const tally = (answers: readonly Answer[]) => {
    const count = (status: number) => answers.filter((answer) => answer.status === status).length;
    for (const { status, body } of answers) if (status === 409) assert.deepEqual(body, DUPLICATE);
    return { ok: count(200), duplicate: count(409) };
  };

  it('holds for 50 POSTs at once', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => create({ target: 'http://127.0.0.1:9/x' })));
    assert.deepEqual(tally(answers), { ok: 1, duplicate: 49 });
    assert.equal((await shop.ask('GET', '/api/v2/webhook')).length, 1);
  });

  it('holds for 50 PATCHes at once that would make twins of 50 definitions', async () => {
    const made = await Promise.all(Array.from({ length: 50 }, () => created()));
    const answers = await Promise.all(
      made.map(({ webhookId }) => patch(webhookId, { target: 'http://127.0.0.1:9/x' })),
    );
    assert.deepEqual(tally(answers), { ok: 1, duplicate: 49 });
  });

  it('lets 50 PATCHes of one definition follow one another', async () => {
    const { webhookId } = await created();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        patch(webhookId, n % 2 === 0 ? { target: 'http://127.0.0.1:9/x' } : { apiVersion: `v${n}` }),
      ),
    );
    assert.deepEqual(tally(answers), { ok: 50, duplicate: 0 });
  });

  it('two at once make no twins, whichever field each of them changes', async () => {
    for (let round = 0; round < 10; round++) {
      const [target, apiVersion] = [`http://127.0.0.1:9/${round}`, `v${round}`];
      const one = await created({ target, apiVersion: 'other' });
      const two = await created({ target: `${target}/other`, apiVersion });
      const answers = await Promise.all([patch(one.webhookId, { apiVersion }), patch(two.webhookId, { target })]);
      assertOneWins(answers);
    }
  });

  it('two at once that change places are told of the duplicate or succeed, and never wait for each other in a circle', async () => {
    for (let round = 0; round < 10; round++) {
      const [here, there] = [`http://127.0.0.1:9/here/${round}`, `http://127.0.0.1:9/there/${round}`];
      const [one, two] = [await created({ target: here }), await created({ target: there })];
      const answers = await Promise.all([
        patch(one.webhookId, { target: there }),
        patch(two.webhookId, { target: here }),
      ]);
      for (const { status, body } of answers) {
        if (status !== 200) assert.deepEqual([status, body], [409, DUPLICATE]);
      }
      const targets = [(await read(one.webhookId)).target, (await read(two.webhookId)).target];
      assert.deepEqual(targets.sort(), [here, there]);
    }
  });

  it('one at once with a POST of its twin: one of them is told of the duplicate', async () => {
    for (let round = 0; round < 10; round++) {
      const target = `http://127.0.0.1:9/${round}`;
      const { webhookId } = await created();
      assertOneWins(await Promise.all([patch(webhookId, { target }), create({ target })]));
    }
  });

  function assertOneWins(answers: readonly Answer[]): void {
    const [won, lost] = [...answers].sort((a, b) => a.status - b.status);
    assert.equal(won?.status, 200);
    assert.deepEqual([lost?.status, lost?.body], [409, DUPLICATE]);
  }
});

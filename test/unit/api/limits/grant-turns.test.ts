/** The turns of requests for tokens: bounded, shared among addresses, and not for clients that have left. */
import assert from 'node:assert/strict';
import { createGrantTurns } from '../../../../src/api/limits/grant-turns.js';

const STAYS = new AbortController().signal;
const MOST_WAITING = 512;

describe('the turns of requests for tokens', () => {
  /** Begun grants, in order, each with what ends it. */
  let begun: { readonly name: string; end(): void }[];
  let grantInTurn: ReturnType<typeof createGrantTurns>;
  beforeEach(() => {
    begun = [];
    grantInTurn = createGrantTurns();
  });
  const send = (address: string | null, gone = STAYS, name = String(address)) =>
    grantInTurn(address, gone, () => new Promise<void>((end) => begun.push({ name, end })));
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const names = () => begun.map(({ name }) => name);

  it('are two at a time, and addresses take turns', async () => {
    const grants = [send('a'), send('a'), send('a'), send('a'), send('b')];
    await settled();
    assert.deepEqual(names(), ['a', 'a']);
    begun[0]?.end();
    await grants[0];
    begun[1]?.end();
    await grants[1];
    await settled();
    assert.deepEqual(names().slice(2).sort(), ['a', 'b']);
    begun[2]?.end();
    begun[3]?.end();
    await Promise.all([grants[2], grants[4]]);
    begun[4]?.end();
    await grants[3];
  });

  it('are not given to clients that have left', async () => {
    const grants = [send('a'), send('a')];
    const gone = new AbortController();
    const left = [send('a', gone.signal, 'left'), send('b', gone.signal, 'left')].map((grant) =>
      assert.rejects(grant, /left/),
    );
    const stays = send('b', STAYS, 'stays');
    await settled();
    gone.abort(new Error('the client has left'));
    await Promise.all(left);
    await assert.rejects(send('c', gone.signal, 'left'), /left/);
    for (const { end } of begun) end();
    await Promise.all(grants);
    await settled();
    assert.deepEqual(names(), ['a', 'a', 'stays']);
    begun[2]?.end();
    await stays;
  });

  it('are refused beyond so many that wait of one address, and of no other', async () => {
    const gone = new AbortController();
    const waiting = Array.from({ length: 2 + MOST_WAITING }, () => send('a', gone.signal).catch(() => undefined));
    await assert.rejects(send('a'), { kind: 'busy', code: 'temporarily_unavailable' });
    await settled();
    const other = send('b', gone.signal).catch(() => undefined);
    gone.abort(new Error('the client has left'));
    for (const { end } of begun) end();
    await Promise.all([...waiting, other]);
    assert.deepEqual(names(), ['a', 'a']);
  });
});

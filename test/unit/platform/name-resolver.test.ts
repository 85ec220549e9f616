import assert from 'node:assert/strict';
import { createNameResolver } from '../../../src/platform/name-resolver.js';
import { type NameAnswer, type NameServer, type Question, startNameServer } from '../../support/faults/name-server.js';

/** Soon, for those who are never answered. */
const IMPATIENT_MS = 50;
/** Long enough for an answer that is to come, on a busy machine. */
const PATIENT_MS = 1_000;

describe('the name resolver', () => {
  const servers: NameServer[] = [];
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.stop()));
  });

  async function asking(answer: (question: Question) => NameAnswer, timeoutMs?: number) {
    const server = await startNameServer(answer);
    servers.push(server);
    return createNameResolver({ servers: [server.address], ...(timeoutMs === undefined ? {} : { timeoutMs }) });
  }
  /** How the root's servers are known to whoever answers anything. */
  const orRoot =
    (answer: NameAnswer) =>
    ({ name }: Question): NameAnswer =>
      name === '' ? [] : answer;

  it('finds all addresses of a name, of both kinds', async () => {
    const resolveName = await asking(({ type }) => (type === 'A' ? ['192.0.2.1', '192.0.2.2'] : ['2001:db8::1']));
    assert.deepEqual(await resolveName('shop.example'), ['192.0.2.1', '192.0.2.2', '2001:db8::1']);
    assert.deepEqual(servers[0]?.asked.map(({ name, type }) => `${name} ${type}`).sort(), [
      'shop.example A',
      'shop.example AAAA',
    ]);
  });

  it('finds those of one kind where there are none of the other, whatever is said of that', async () => {
    for (const other of [[], 'NXDOMAIN', 'SERVFAIL'] as const) {
      const only4 = await asking(({ type }) => (type === 'A' ? ['192.0.2.1'] : other));
      assert.deepEqual(await only4('shop.example'), ['192.0.2.1']);
      const only6 = await asking(({ type }) => (type === 'AAAA' ? ['2001:db8::1'] : other));
      assert.deepEqual(await only6('shop.example'), ['2001:db8::1']);
    }
  });

  it('asks anew each time: an address that has changed is seen at once', async () => {
    let last = 0;
    const resolveName = await asking(({ type }) => (type === 'A' ? [`192.0.2.${++last}`] : []));
    assert.deepEqual(await resolveName('shop.example'), ['192.0.2.1']);
    assert.deepEqual(await resolveName('shop.example'), ['192.0.2.2']);
  });

  it('asks the file of hosts for a name that no server knows', async () => {
    for (const none of [[], 'NXDOMAIN'] as const) {
      const resolveName = await asking(() => none);
      const found = await resolveName('localhost');
      assert.ok(found.length > 0 && found.every((address) => ['127.0.0.1', '::1'].includes(address)), String(found));
    }
  });

  it('throws what the servers say of a name that they cannot or will not look up', async () => {
    for (const [said, code] of [
      ['SERVFAIL', 'ESERVFAIL'],
      ['REFUSED', 'EREFUSED'],
    ] as const) {
      const resolveName = await asking(orRoot(said));
      await assert.rejects(resolveName('shop.example'), { code });
    }
  });

  it('holds it against the name when its question alone is not answered', async () => {
    const resolveName = await asking(orRoot('silence'), PATIENT_MS);
    await assert.rejects(resolveName('shop.example'), { code: 'ETIMEOUT' });
    assert.ok(servers[0]?.asked.some(({ name, type }) => name === '' && type === 'NS'));
  });

  it('takes any answer about the root for one, a refusal too', async () => {
    const resolveName = await asking(({ name }) => (name === '' ? 'REFUSED' : 'silence'), PATIENT_MS);
    await assert.rejects(resolveName('shop.example'), { code: 'ETIMEOUT' });
  });

  it('says that the servers are out of reach when they answer nothing, or nobody listens', async () => {
    const outOfReach = { name: 'ResolverOutOfReachError', message: /^the name servers do not answer \(/ };
    const silent = await asking(() => 'silence', IMPATIENT_MS);
    await assert.rejects(silent('shop.example'), outOfReach);
    const gone = await startNameServer(() => []);
    await gone.stop();
    const deserted = createNameResolver({ servers: [gone.address], timeoutMs: IMPATIENT_MS });
    await assert.rejects(deserted('shop.example'), outOfReach);
  });

  it('finds a name while a hundred others wait for servers that never answer', async () => {
    const resolveName = await asking(
      ({ name, type }) => (name.startsWith('hanging') ? 'silence' : type === 'A' ? ['192.0.2.1'] : []),
      PATIENT_MS,
    );
    let given = 0;
    const hanging = Array.from({ length: 100 }, (_, n) =>
      resolveName(`hanging${n}.example`).catch(() => {
        given += 1;
      }),
    );
    assert.deepEqual(await resolveName('shop.example'), ['192.0.2.1']);
    assert.equal(given, 0, 'it waited for others');
    await Promise.all(hanging);
  });
});

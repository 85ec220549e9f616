import assert from 'node:assert/strict';
import type { Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { SendResult } from '../../../src/domain/webhooks/delivery/send/send-result.js';
import { createWebhookSender, type WebhookSender } from '../../../src/domain/webhooks/delivery/send/webhook-sender.js';
import { createAddressGuard, type ResolveName } from '../../../src/platform/guard/address-guard.js';
import { AUTHORITY, EXPIRED, KEY, OF_ANOTHER_HOST, SELF_SIGNED } from '../../support/faults/certificates.js';
import {
  startBabbling,
  startClosingMidway,
  startDripping,
  startDrippingBody,
  startFlooding,
  startHanging,
  startHangingUp,
  startRedirecting,
} from '../../support/faults/hostile-receivers.js';
import {
  type Answer,
  answerWith,
  type Receiver,
  startReceiver,
  startTcpReceiver,
} from '../../support/http/receiver.js';
import { forbiddenTargets, HOSTILE_NAMES } from '../../support/models/forbidden-targets.js';
import { until } from '../../support/until.js';

const CONNECT_MS = 5_000;
const SHORT_MS = 400;

describe('the sender of webhooks', () => {
  const receivers: Receiver[] = [];
  const senders: WebhookSender[] = [];
  afterEach(async () => {
    await Promise.all(senders.splice(0).map((sender) => sender.close()));
    await Promise.all(receivers.splice(0).map((receiver) => receiver.stop()));
  });

  async function receiving(starting: Promise<Receiver>): Promise<Receiver> {
    const receiver = await starting;
    receivers.push(receiver);
    return receiver;
  }

  const noNames: ResolveName = async (name) => {
    throw Object.assign(new Error(`queryA ENOTFOUND ${name}`), { code: 'ENOTFOUND' });
  };

  function sending({
    allowed = ['127.0.0.0/8'],
    resolveName = noNames,
    totalMs = 15_000,
    authorities = '',
  } = {}): WebhookSender {
    const guard = createAddressGuard({ allowedNetworks: allowed, resolveName });
    const sender = createWebhookSender({
      guard,
      connectMs: CONNECT_MS,
      totalMs,
      ...(authorities === '' ? {} : { authorities }),
    });
    senders.push(sender);
    return sender;
  }

  const post = (sender: WebhookSender, target: string, signal?: AbortSignal) =>
    sender.send({ target, method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }, signal);

  const answering = (answer: Answer) => receiving(startReceiver(answer));

  /** status, or the class of failure */
  const told = (result: SendResult) => {
    if (result.kind === 'answered') return result.statusCode;
    return result.kind === 'failed' ? result.failure : result.kind;
  };

  it('sends method, headers and body, and reads the beginning of the answer', async () => {
    const receiver = await answering(answerWith(201, { 'retry-after': '7' }, 'taken'));
    const sender = sending();
    for (const method of ['POST', 'PUT', 'PATCH']) {
      const result = await sender.send({
        target: `${receiver.url}/a?b=c`,
        method,
        headers: { 'x-a': 'b' },
        body: '{"a":1}',
      });
      assert.deepEqual(
        { ...result, durationMs: 0 },
        {
          ...{ kind: 'answered', statusCode: 201, retryAfter: '7', response: 'taken', durationMs: 0 },
        },
      );
    }
    assert.deepEqual(
      receiver.received.map(({ method, path, headers, body }) => [method, path, headers['x-a'], body]),
      ['POST', 'PUT', 'PATCH'].map((method) => [method, '/a?b=c', 'b', '{"a":1}']),
    );
  });

  it('sends no body with GET and DELETE', async () => {
    const receiver = await answering(answerWith(204));
    const sender = sending();
    for (const method of ['GET', 'DELETE'])
      await sender.send({ target: receiver.url, method, headers: {}, body: null });
    assert.deepEqual(
      receiver.received.map(({ method, body, headers }) => [method, body, headers['content-type']]),
      [
        ['GET', '', undefined],
        ['DELETE', '', undefined],
      ],
    );
  });

  it('keeps its connections for further requests', async () => {
    const receiver = await answering(answerWith(200, {}, 'ok'));
    const sender = sending();
    for (let number = 0; number < 10; number++) assert.equal(told(await post(sender, receiver.url)), 200);
    // The second is made when a request follows in the very moment in which the one before has ended.
    assert.ok(receiver.connections() <= 2, `${receiver.connections()} connections`);
  });

  it('gives up a receiver that never answers', async () => {
    const receiver = await receiving(startHanging());
    assert.equal(told(await post(sending({ totalMs: SHORT_MS }), receiver.url)), 'time-out');
  });

  it('gives up a receiver that answers a byte at a time, in its head or its body', async () => {
    for (const start of [startDripping, startDrippingBody]) {
      const receiver = await receiving(start(20));
      assert.equal(told(await post(sending({ totalMs: SHORT_MS }), receiver.url)), 'time-out');
    }
  });

  it('reads no more of a hundred megabytes than it needs, and ends the connection', async () => {
    let taken = 0;
    const receiver = await receiving(
      startFlooding((bytes) => {
        taken = bytes;
      }),
    );
    const result = await post(sending(), receiver.url);
    assert.equal(told(result), 200);
    assert.equal(result.kind === 'answered' && result.response.length, 1_000);
    assert.ok(taken < 20_000_000, `${taken} bytes were taken`);
  });

  it('takes an answer that ends too soon for none', async () => {
    for (const start of [startClosingMidway, startHangingUp, startBabbling]) {
      const receiver = await receiving(start());
      assert.equal(told(await post(sending(), receiver.url)), 'connection');
    }
  });

  it('does not follow a redirect', async () => {
    const inner = await answering(answerWith(200));
    const receiver = await receiving(startRedirecting(`${inner.url}/secret`));
    assert.equal(told(await post(sending(), receiver.url)), 302);
    assert.equal(inner.connections(), 0);
  });

  it('says so when a server speaks no TLS', async () => {
    const receiver = await answering(answerWith(200));
    assert.equal(told(await post(sending(), receiver.url.replace('http:', 'https:'))), 'tls');
  });

  it('says so when nobody listens, and when a name leads nowhere', async () => {
    const receiver = await startReceiver();
    await receiver.stop();
    assert.equal(told(await post(sending(), receiver.url)), 'refused');
    assert.equal(told(await post(sending(), 'http://nowhere.example/')), 'dns');
  });

  describe('explains in words why there is no answer:', () => {
    /** A target that fails in one way, and what its owner reads. */
    const secure = (cert: string) => async (): Promise<string> => {
      const server = createTlsServer({ key: KEY, cert }, (_, response) => response.end());
      server.on('tlsClientError', () => undefined);
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      servers.push(server);
      return `https://shop.example:${(server.address() as AddressInfo).port}/`;
    };
    const talking = (talk: (socket: Socket) => void) => async (): Promise<string> =>
      (await receiving(startTcpReceiver(talk))).url;
    const saying = (text: string) => talking((socket) => socket.once('data', () => socket.end(text)));
    const servers: Server[] = [];
    afterEach(() => {
      for (const server of servers.splice(0)) server.close();
    });

    const table: readonly (readonly [string, () => Promise<string>, RegExp])[] = [
      [
        'nothing listens',
        async () => {
          const receiver = await startReceiver();
          await receiver.stop();
          return receiver.url;
        },
        /^the target refused the connection: nothing listens/,
      ],
      ['an unknown host', async () => 'http://nowhere.example/', /^no address was found for the name of the target$/],
      ['an expired certificate', secure(EXPIRED), /^the certificate of the target has expired$/],
      ['a self-signed certificate', secure(SELF_SIGNED), /^the certificate of the target is self-signed/],
      [
        'a certificate of another host',
        secure(OF_ANOTHER_HOST),
        /^the certificate of the target is for another host name$/,
      ],
      [
        'no TLS',
        async () => (await answering(answerWith(200))).url.replace('http:', 'https:'),
        /^the target does not speak TLS/,
      ],
      [
        'a connection that is closed during the TLS handshake',
        async () => (await talking((socket) => socket.destroy())()).replace('http:', 'https:'),
        /^the target closed the connection during the TLS handshake$/,
      ],
      ['a time-out', async () => (await receiving(startHanging())).url, /^no complete answer within 0\.4 s$/],
      [
        'a reset connection',
        talking((socket) => socket.once('data', () => socket.resetAndDestroy())),
        /^the target closed the connection before it had answered; it may have received the request$/,
      ],
      [
        'an answer that ends too soon',
        async () => (await receiving(startClosingMidway())).url,
        /^the target closed the connection before/,
      ],
      [
        'a 100 Continue that was not asked for',
        saying('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'),
        /^the target answered in a form that we cannot read; it may have received the request$/,
      ],
      ['no HTTP', saying('220 mail.example ESMTP\r\n'), /^the target answered in a form that we cannot read/],
      [
        'headers that are too large',
        saying(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(100_000)}\r\n\r\n`),
        /^the headers of the answer are too large/,
      ],
    ];
    for (const [name, start, expected] of table) {
      it(name, async () => {
        const target = await start();
        const resolveName: ResolveName = (host) =>
          host === 'shop.example' ? Promise.resolve(['127.0.0.1']) : noNames(host);
        const sender = sending({
          resolveName,
          totalMs: /time-out/.test(name) ? SHORT_MS : 15_000,
          authorities: AUTHORITY,
        });
        const result = await post(sender, target);
        assert.match(result.kind === 'failed' ? result.message : `${result.kind}`, expected);
      });
    }
  });

  it('blames no target for a resolver that is out of reach', async () => {
    const resolveName: ResolveName = async () => {
      throw Object.assign(new Error('no answer'), { name: 'ResolverOutOfReachError' });
    };
    assert.equal(told(await post(sending({ resolveName }), 'http://shop.example/')), 'not-sent');
  });

  it('gives a request up when it is told to', async () => {
    const receiver = await receiving(startHanging());
    const stop = new AbortController();
    const sent = post(sending(), receiver.url, stop.signal);
    await until('the request is there', () => receiver.received.length === 1, 10_000);
    stop.abort('enough');
    assert.deepEqual(await sent, { kind: 'not-sent', message: 'enough' });
  });

  it('connects to the address that was checked, and to none that a name leads to only the second time', async () => {
    const receiver = await receiving(startReceiver(answerWith(200, { connection: 'close' })));
    const answers = [['127.0.0.1'], ['127.0.0.2']];
    let asked = 0;
    const sender = sending({ allowed: ['127.0.0.1/32'], resolveName: async () => answers[asked++] ?? [] });
    const target = `http://rebinding.example:${receiver.port}/`;
    assert.equal(told(await post(sender, target)), 200);
    const second = await post(sender, target);
    assert.equal(told(second), 'blocked');
    assert.match(second.kind === 'failed' ? second.message : '', /^blocked address 127\.0\.0\.2 of rebinding\.example/);
    assert.deepEqual([asked, receiver.received.length], [2, 1]);
  });

  it('lets no request through to this machine, whatever the target is called', async () => {
    const receiver = await receiving(startReceiver(answerWith(200), '::'));
    const resolveName: ResolveName = async (name) => HOSTILE_NAMES[name] ?? [];
    const sender = sending({ allowed: [], resolveName });
    for (const target of forbiddenTargets(receiver.port)) {
      const result = await post(sender, target);
      assert.equal(told(result), 'blocked', target);
      assert.match(result.kind === 'failed' ? result.message : '', /^blocked address /);
    }
    const open = await receiving(startRedirecting(`http://127.0.0.1:${receiver.port}/`));
    await post(sending({ allowed: ['127.0.0.1/32'] }), open.url);
    assert.equal(receiver.connections(), 0);
    // It would have heard: the same port, with the way open.
    assert.equal(told(await post(sending(), `http://2130706433:${receiver.port}/`)), 200);
  });
});

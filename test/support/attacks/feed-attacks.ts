/** Attacks by feeds: addresses that trigger them or have files, and servers that do not answer. */
import assert from 'node:assert/strict';
import { createServer, type Server, type Socket } from 'node:net';
import { openRaw, type RawConnection } from '../http/raw-http.js';
import type { Shop } from '../http/shop.js';
import { untilEnded } from '../http/until-ended.js';
import type { Attack, Attacker } from './attack.js';
import { repeating } from './repeating.js';

export const SLOW_READERS = '500 slow readers of a published file';

/** The attacks, by what they do. */
export const FEED_ATTACKS = {
  'triggers of feeds with right and wrong keys': (attacker: Attacker, shop: Shop) => triggers(attacker, shop),
  'feeds and destinations of ten stages whose server does not answer': (_: Attacker, shop: Shop) => muteFeeds(shop),
  'saves and tests of feeds in a loop': (_: Attacker, shop: Shop) => savedAndTested(shop),
  [SLOW_READERS]: (attacker: Attacker, shop: Shop) => slowReaders(attacker, shop),
} satisfies Readonly<Record<string, (attacker: Attacker, shop: Shop) => Promise<Attack>>>;

const STAGES = 10;
const READERS = 500;
const ROWS = 20_000;

/** A server that takes connections, and says nothing. */
interface MuteServer {
  /** What a feed needs to reach it. */
  readonly connection: object;
  /** Resolves when somebody has connected. */
  readonly reached: Promise<void>;
  hangUp(): void;
}

async function startMute(): Promise<MuteServer> {
  const sockets = new Set<Socket>();
  let isReached: () => void = () => undefined;
  const reached = new Promise<void>((resolve) => {
    isReached = resolve;
  });
  const server: Server = createServer((socket) => {
    isReached();
    sockets.add(socket.on('error', () => undefined).on('close', () => sockets.delete(socket)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  return {
    connection: { kind: 'sftp', host: '127.0.0.1', port: address.port, user: 'mute', path: '/' },
    reached,
    hangUp: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

function sourceOf(connection: object, name: string): object {
  return { name, connection, secret: 'a password', fileType: 'ITEM_IMPORT', pick: { settleSeconds: 0 } };
}

function destinationOf(connection: object, name: string): object {
  const direction = 'DESTINATION';
  return { name, direction, connection, secret: 'a password', export: { type: 'ITEM_EXPORT' }, fileName: 'items.csv' };
}

/** Half of them to an address that there is, which has a feed whose server does not answer. */
async function triggers({ strength }: Attacker, shop: Shop): Promise<Attack> {
  const mute = await startMute();
  const { id } = await shop.ask('POST', '/feeds', { body: sourceOf(mute.connection, 'Triggered') });
  const { url } = await shop.ask('POST', `/feeds/${id}/actions/renew-trigger`);
  const { pathname } = new URL(url);
  let number = 0;
  const { begin, end } = repeating(200 * strength, () => {
    const path = number++ % 2 === 0 ? pathname : `/feed-triggers/lsg_${number}`;
    return shop.api.fetch(path, { method: 'POST' }).then((answer) => answer.text());
  });
  return attackOn(mute, begin, end);
}

/** Each feed is run again as soon as its run has ended. */
async function muteFeeds(shop: Shop): Promise<Attack> {
  const mute = await startMute();
  const feeds: { id: string; stage: string }[] = [];
  for (let number = 0; number < STAGES; number++) {
    const stage = `stage-${number}`;
    for (const bodyOf of [sourceOf, destinationOf]) {
      const body = bodyOf(mute.connection, `Feed ${bodyOf.name}`);
      feeds.push({ id: (await shop.ask('POST', '/feeds', { body, context: { stage } })).id, stage });
    }
  }
  let next = 0;
  const { begin, end } = repeating(4, async () => {
    const feed = feeds[next++ % feeds.length];
    if (feed !== undefined)
      await shop.call('POST', `/feeds/${feed.id}/actions/run`, { context: { stage: feed.stage } });
  });
  return attackOn(mute, begin, end);
}

/** It is under way when the server has been reached, and ends by hanging up what waits for it. */
function attackOn(mute: MuteServer, begin: Attack['begin'], end: Attack['end']): Attack {
  return {
    begin: async () => {
      await begin();
      await mute.reached;
    },
    end: async () => {
      const ended = end();
      const hangingUp = setInterval(mute.hangUp, 50);
      await ended;
      clearInterval(hangingUp);
    },
  };
}

async function savedAndTested(shop: Shop): Promise<Attack> {
  const mute = await startMute();
  let number = 0;
  const { begin, end } = repeating(20, async () => {
    const body = sourceOf(mute.connection, `Saved ${number++ % 100}`);
    await Promise.all([shop.call('POST', '/feeds', { body }), shop.call('POST', '/feeds/actions/test', { body })]);
  });
  return attackOn(mute, begin, end);
}

/** They ask for a file that is unpacked for them, and read none of it. */
async function slowReaders({ baseUrl, localAddress, strength }: Attacker, shop: Shop): Promise<Attack> {
  await shop.define({ categories: { Shelf: [] } });
  const rows = Array.from({ length: ROWS * strength }, (_, number) => `Shelf,a-sku-with-some-characters-${number}\n`);
  await untilEnded(shop, await shop.upload('items.csv', `Category Node,SKU\n${rows.join('')}`));
  const { url } = await shop.ask('POST', '/published-files', { body: { name: 'Slowly' } });
  const wanted = { gzip: true, publishAs: 'Slowly', match: {} };
  const { status, text, body } = await shop.post('/jobs/product/actions/filter-export', wanted);
  assert.equal(status, 202, text);
  await untilEnded(shop, body.jobId);
  const there = await shop.api.fetch(new URL(url).pathname, { method: 'HEAD' });
  assert.equal(there.status, 200);
  const head = `GET ${new URL(url).pathname} HTTP/1.1\r\nHost: x\r\nAccept-Encoding: identity\r\n\r\n`;
  let connections: RawConnection[] = [];
  return {
    begin: () => {
      connections = Array.from({ length: READERS * strength }, () => {
        const connection = openRaw(baseUrl, head, localAddress);
        connection.socket.pause();
        return connection;
      });
    },
    end: async () => {
      for (const { socket } of connections) socket.destroy();
      await Promise.all(connections.map(({ ended }) => ended));
    },
  };
}

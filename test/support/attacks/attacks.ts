/** What one tenant does to keep others from being served. Each attack once worked. */
import { Agent, type ClientRequest, request } from 'node:http';
import { openRaw, type RawConnection } from '../http/raw-http.js';
import { Shop } from '../http/shop.js';
import { workbookFile } from '../models/workbook-file.js';
import type { Attack, Attacker } from './attack.js';
import { CONNECTION_ATTACKS } from './connection-attacks.js';
import { DEFINITION_ATTACKS } from './definition-attacks.js';
import { FEED_ATTACKS } from './feed-attacks.js';
import { repeating } from './repeating.js';
import { repeatingJobs } from './repeating-jobs.js';
import { EVENT, WEBHOOK_ATTACKS } from './webhook-attacks.js';

type Prepare = (attacker: Attacker, shop: Shop) => Promise<Attack> | Attack;

/** The attacks, by what they do. */
const ATTACKS = {
  '50 idle sockets that announce large bodies': (attacker) => {
    const announced = 'content-type: application/json\r\nContent-Length: 33554432\r\n';
    const head = headOf(attacker, 'POST /api-product/v1/product/bulk/insert', announced);
    return sockets(50 * attacker.strength, () => openRaw(attacker.baseUrl, `${head}[`, attacker.localAddress));
  },
  '4,200 chunked requests for tokens, without a token': ({ baseUrl, localAddress, strength }) => {
    const head =
      'POST /oauth2/token HTTP/1.1\r\nHost: x\r\ncontent-type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n';
    return sockets(4_200 * strength, () => openRaw(baseUrl, head, localAddress));
  },
  '100 concurrent events without Content-Length': (attacker) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 100 });
    return repeating(100 * attacker.strength, () => postChunked(attacker, agent));
  },
  '500 concurrent events': ({ account, strength }, shop) =>
    repeating(500 * strength, () => shop.post('/api/v2/event', EVENT, { headers: { 'tenant-key': account } })),
  '2,000 clients that wait for a job': (attacker, shop) => waitingClients(attacker, shop),
  '200 slow readers of the description': ({ baseUrl, localAddress, strength }) =>
    sockets(200 * strength, () => {
      const connection = openRaw(baseUrl, 'GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(20), localAddress);
      connection.socket.pause();
      return connection;
    }),
  'wrong secrets of 1,000 clients': ({ strength }, { api }) => {
    let number = 0;
    return repeating(50 * strength, () => {
      const form = { grant_type: 'client_credentials', client_id: `client-${number++ % 1_000}`, client_secret: 'x' };
      return api.fetch('/oauth2/token', { method: 'POST', body: new URLSearchParams(form) }).then(textOf);
    });
  },
  'tokens that do not exist': ({ strength }, { api }) => {
    let number = 0;
    return repeating(100 * strength, () =>
      api.fetch('/jobs/product', { headers: { authorization: `Bearer lst_${number++}` } }).then(textOf),
    );
  },
  'uploads that are rejected': (_, shop) => {
    const content = Buffer.alloc(1_000_000, 'SKU\u0000');
    return repeatingJobs(5, shop, () => shop.upload('rejected.csv', content));
  },
  'announcements that are never uploaded': (_, shop) =>
    repeating(20, () => shop.post('/files/product', { fileName: 'a.csv', fileType: 'ITEM_IMPORT' })),
  'sheets with values far to the right': async ({ strength }, shop) => {
    const file = await sparseWorkbook(60_000 * strength);
    return repeatingJobs(2, shop, () => shop.upload('sparse.xlsx', file));
  },
  'patterns that cost much': (_, shop) => costlyPatterns(shop),
  ...WEBHOOK_ATTACKS,
  'stages that do not exist, with a token that may only read': ({ readerToken, account, strength }, { api }) => {
    let number = 0;
    return repeating(50 * strength, () => {
      const context = JSON.stringify({ account, stage: `s${number++}` });
      const headers = { authorization: `Bearer ${readerToken}`, 'x-site-context': context };
      return api.fetch('/api-product/v1/product', { headers }).then(textOf);
    });
  },
  ...CONNECTION_ATTACKS,
  ...FEED_ATTACKS,
  ...DEFINITION_ATTACKS,
} satisfies Readonly<Record<string, Prepare>>;

export type AttackName = keyof typeof ATTACKS;

export const ATTACK_NAMES = Object.keys(ATTACKS) as AttackName[];

/** Makes what an attack needs. */
export function prepareAttack(name: AttackName, attacker: Attacker): Promise<Attack> | Attack {
  const api = { fetch: (path: string, init?: RequestInit) => fetch(`${attacker.baseUrl}${path}`, init) };
  // What an attacker does needs no look behind the API.
  const noSite = 0;
  const prepare: Prepare = ATTACKS[name];
  return prepare(attacker, new Shop(api, attacker.account, attacker.token, noSite));
}

/** Keeps so many connections open. */
function sockets(count: number, open: () => RawConnection): Attack {
  let connections: RawConnection[] = [];
  return {
    begin: () => {
      connections = Array.from({ length: count }, open);
    },
    end: async () => {
      for (const { socket } of connections) socket.destroy();
      await Promise.all(connections.map(({ ended }) => ended));
    },
  };
}

function headOf(attacker: Attacker, asked: string, headers: string): string {
  const context = JSON.stringify({ account: attacker.account });
  return `${asked} HTTP/1.1\r\nHost: x\r\nauthorization: Bearer ${attacker.token}\r\nx-site-context: ${context}\r\n${headers}\r\n`;
}

/** Sends an event of which no header says how long it is. */
function postChunked({ baseUrl, account, token, localAddress }: Attacker, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent: ClientRequest = request(`${baseUrl}/api/v2/event`, {
      method: 'POST',
      agent,
      localAddress,
      headers: {
        authorization: `Bearer ${token}`,
        'tenant-key': account,
        'content-type': 'application/json',
        'transfer-encoding': 'chunked',
      },
    });
    sent.on('error', reject).on('response', (response) => response.resume().on('end', resolve).on('error', reject));
    sent.end(JSON.stringify(EVENT));
  });
}

/** Each asks again when it was answered. */
async function waitingClients(attacker: Attacker, shop: Shop): Promise<Attack> {
  const body = { fileName: 'never.csv', fileType: 'ITEM_IMPORT' };
  const { jobId } = await shop.ask('POST', '/files/product', { body });
  const head = headOf(attacker, `GET /jobs/${jobId}`, 'Prefer: wait=25\r\n');
  return sockets(2_000 * attacker.strength, () => {
    const connection = openRaw(attacker.baseUrl, head, attacker.localAddress);
    const { socket } = connection;
    socket.on('data', (bytes) => {
      if (bytes.includes('HTTP/1.1 ') && !socket.destroyed) socket.write(head);
    });
    return connection;
  });
}

/** A workbook with one cell in each row, in the last column that there is. */
function sparseWorkbook(rows: number): Promise<Buffer> {
  const all = Array.from({ length: rows }, (_, index) => {
    const cell = `XFD${index + 1}`;
    return `<row r="${index + 1}"><c r="${cell}" t="inlineStr"><is><t>x</t></is></c></row>`;
  });
  return workbookFile({ rows: all.join('') });
}

/** 400 states, most of which are active after each character. */
const COSTLY = '[ab]*a[ab]{400}[cd]';

async function costlyPatterns(shop: Shop): Promise<Attack> {
  await shop.define({
    attributes: [{ name: 'Code', type: 'TEXT', validation: { pattern: COSTLY } }],
    categories: { Costly: ['Code'] },
  });
  const text = Array.from({ length: 2_400 }, (_, index) => ((index * index * 7) & 8 ? 'a' : 'b')).join('');
  const rows = Array.from({ length: 300 }, (_, index) => `s${index},Costly,${text.slice(index)}`);
  const file = ['SKU,Category Node,Code', ...rows].join('\n');
  return repeatingJobs(2, shop, () => shop.upload('costly.csv', file));
}

function textOf(response: Response): Promise<string> {
  return response.text();
}

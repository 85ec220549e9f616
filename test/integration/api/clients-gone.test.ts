/** What waits in a web process dies with its connection: nothing is done for clients that have left. */
import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import type { Knex } from 'knex';
import { createClient } from '../../../src/domain/access/clients.js';
import { openRaw } from '../../support/http/raw-http.js';
import { until } from '../../support/until.js';
import { OWN_LOCKS } from '../../support/worlds/own-sessions.js';
import { startTestApi, type TestApi } from '../../support/worlds/test-api.js';

const CLIENTS = 200;
/** Requests of one account that a process has in progress while no other account uses it. */
const IN_PROGRESS = 128;
const GRANTS_IN_PROGRESS = 2;

describe('of clients that have left while they waited', function () {
  this.timeout(30_000);
  let api: TestApi;
  /** Connections of clients that the server has not closed yet. */
  const connected = new Set<Socket>();
  const accept = (message: unknown) => {
    const { socket } = message as { socket: Socket };
    connected.add(socket);
    socket.once('close', () => connected.delete(socket));
  };
  beforeEach(async () => {
    subscribe('net.server.socket', accept);
    api = await startTestApi();
  });
  afterEach(async () => {
    await api.stop();
    unsubscribe('net.server.socket', accept);
  });

  /** Sends the bytes many times while a table is locked, hangs up, and unlocks it. */
  async function hangUpBehind(table: string, bytes: string): Promise<void> {
    const lock: Knex.Transaction = await api.db.transaction();
    await lock.raw('LOCK TABLE ?? IN ACCESS EXCLUSIVE MODE', [table]);
    const clients = Array.from({ length: CLIENTS }, () => openRaw(api.url, bytes));
    await until('all have connected', () => connected.size >= CLIENTS, 10_000);
    await until('their requests wait for the table', () => waitsFor(lock), 10_000);
    for (const { socket } of clients) socket.destroy();
    await Promise.all(clients.map(({ ended }) => ended));
    await until('the server has noticed', () => connected.size === 0, 10_000);
    await lock.rollback();
  }

  async function waitsFor(lock: Knex.Transaction): Promise<boolean> {
    const { rows } = await lock.raw<{ rows: unknown[] }>(`SELECT FROM ${OWN_LOCKS} WHERE NOT granted`);
    return rows.length > 0;
  }

  it('no token is granted', async () => {
    const client = await createClient(api.db, { accountId: api.account, name: 'test' });
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: client.clientId,
      client_secret: client.clientSecret,
    }).toString();
    const head = `POST /oauth2/token HTTP/1.1\r\nHost: x\r\ncontent-type: application/x-www-form-urlencoded\r\nContent-Length: ${form.length}\r\n\r\n`;
    await hangUpBehind('oauth_client', head + form);
    const granted = async () => Number((await api.db('access_token').whereLike('name', 'oauth%').count())[0]?.count);
    await api.fetch('/oauth2/token', { method: 'POST', body: new URLSearchParams(form) });
    assert.ok((await granted()) <= GRANTS_IN_PROGRESS + 1, `${await granted()}`);
  });

  it('no request gets a turn', async () => {
    const body = '[{"action":"CREATE","name":"Colour","type":"TEXT"}]';
    const headers = Object.entries(api.headers()).map(([name, value]) => `${name}: ${value}\r\n`);
    const head = `POST /api-product/v1/product/attribute/bulk HTTP/1.1\r\nHost: x\r\n${headers.join('')}content-type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    await hangUpBehind('job', head + body);
    const last = await api.fetch('/api-product/v1/product/attribute/bulk', {
      method: 'POST',
      headers: { ...api.headers(), 'content-type': 'application/json' },
      body,
    });
    assert.equal(last.status, 202);
    const accepted = Number((await api.db('job').count())[0]?.count);
    assert.ok(accepted <= IN_PROGRESS + 1, `${accepted}`);
  });
});

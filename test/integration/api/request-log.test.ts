import assert from 'node:assert/strict';
import { createApp } from '../../../src/api/app.js';
import { createClientAddresses } from '../../../src/api/client-address.js';
import { type RunningServer, startServer } from '../../../src/api/server.js';
import { listTokens } from '../../../src/domain/access/tokens.js';
import { createLogger } from '../../../src/platform/logger.js';
import { until } from '../../support/until.js';
import { startTestApi, type TestApi } from '../../support/worlds/test-api.js';

describe('behind a proxy that is trusted', () => {
  let api: TestApi;
  let server: RunningServer;
  const lines: Record<string, unknown>[] = [];
  before(async () => {
    api = await startTestApi();
    const logger = createLogger('test', 'info', { write: (line: string) => void lines.push(JSON.parse(line)) });
    const addresses = createClientAddresses({ trustedProxies: ['127.0.0.0/8'], connectionsPerAddress: 100 }, logger);
    const app = createApp({ ...api.services, addresses, logger });
    server = await startServer(app.callback(), { host: '127.0.0.1', port: 0 });
  });
  after(async () => {
    await server.stop(0);
    await api.stop();
  });

  const ask = (path: string, headers: Record<string, string>) => fetch(`${server.url}${path}`, { headers });

  it('the line of a request names the id of the token and the address of the client, and not the token', async () => {
    const forwarded = { 'x-forwarded-for': '198.51.100.7, 203.0.113.5', 'x-request-id': 'named' };
    await (await ask('/api/v2/webhook', { ...api.headers(), ...forwarded })).text();
    const named = () => lines.find(({ requestId }) => requestId === 'named');
    await until('the line of the request', () => named() !== undefined, 10_000);
    const line = named();
    const [token] = await listTokens(api.db, api.account);
    assert.deepEqual([line?.token, line?.address, line?.account], [token?.id, '203.0.113.5', api.account]);
    assert.ok(!JSON.stringify(lines).includes(api.token));
  });

  it('answers to clients that came by TLS say so (HSTS), and no others', async () => {
    const hsts = async (headers: Record<string, string>) =>
      (await ask('/healthz', headers)).headers.get('strict-transport-security');
    assert.match((await hsts({ 'x-forwarded-proto': 'https' })) ?? '', /^max-age=\d{8}$/);
    assert.equal(await hsts({ 'x-forwarded-proto': 'http' }), null);
    assert.equal(await hsts({}), null);
    const direct = await api.fetch('/healthz', { headers: { 'x-forwarded-proto': 'https' } });
    assert.equal(direct.headers.get('strict-transport-security'), null, 'a client that claims it itself');
  });
});

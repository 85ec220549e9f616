import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { Heartbeat } from '../../../db/heartbeats.js';
import { newId } from '../../../src/domain/kernel/identifier.js';
import { planJob } from '../../../src/queues/contracts/plan-job.js';
import { forEachBackend } from '../../support/for-each-backend.js';
import { startTestApi, type TestApi } from '../../support/worlds/test-api.js';

describe('what operators see', () => {
  forEachBackend((backend) => {
    let api: TestApi;
    const jobId = newId();
    before(async () => {
      api = await startTestApi({ redisUrl: backend.redisUrl, environment: { QUEUE_PREFIX: queuePrefix() } });
      await api.services.producer.enqueue(planJob, { jobId, dispatch: 1 });
    });
    after(() => api.stop());

    /** The prefix is the schema on Postgres; a shared Redis needs one of our own. */
    function queuePrefix(): string {
      return backend.name === 'postgres' ? '' : `{test-${newId()}}`;
    }
    const board = (path: string, authorization = `Bearer ${api.operatorToken}`, init: RequestInit = {}) =>
      api.fetch(`/admin/queues${path}`, { ...init, headers: { authorization, ...init.headers } });

    it('lives and is ready', async () => {
      assert.deepEqual(await (await api.fetch('/healthz')).json(), { status: 'ok' });
      const ready = await api.fetch('/readyz');
      assert.equal(ready.status, 200);
      const { parts } = (await ready.json()) as { parts: Record<string, { status: string }> };
      const { workers, ...others } = parts;
      const ok = { status: 'ok' };
      assert.deepEqual(others, { database: ok, schema: ok, queue: ok, storage: ok, steps: ok, jobs: ok });
      assert.equal(workers?.status, 'degraded', 'this test runs no worker process');
      const { components } = (await (await api.fetch('/openapi.json')).json()) as {
        components: { schemas: { Readiness: { properties: { parts: { properties: object } } } } };
      };
      const described = Object.keys(components.schemas.Readiness.properties.parts.properties);
      assert.deepEqual(Object.keys(parts).sort(), described.filter((name) => name !== 'checks').sort());
    });

    it('shows the dashboard to an operator, by bearer token or as the password of Basic', async () => {
      for (const authorization of [`Bearer ${api.operatorToken}`, `Basic ${btoa(`me:${api.operatorToken}`)}`]) {
        const page = await board('', authorization);
        assert.equal(page.status, 200);
        assert.match(await page.text(), /Longshore queues/);
        assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'self'/);
      }
    });

    it('serves the dashboard its own assets', async () => {
      const page = await (await board('/')).text();
      assert.match(page, /<base href="\/admin\/queues\/" \/>/);
      const assets = [...page.matchAll(/(?:src|href)="(static\/[^"]+)"/g)].map(([, path]) => path);
      assert.ok(assets.length >= 5);
      for (const asset of assets) assert.equal((await board(`/${asset}`)).status, 200, asset);
    });

    it('shows the processes that work on a queue', async () => {
      const heartbeat = new Heartbeat(api.services.db, ['export'], 'test');
      await heartbeat.beat();
      try {
        const workersOf = async (queue: string) => {
          const { workers } = (await (await board(`/api/queues/${queue}/workers`)).json()) as { workers: unknown[] };
          return workers;
        };
        const addr = `${hostname()}, process ${process.pid}`;
        assert.deepEqual(await workersOf('export-job'), [{ id: heartbeat.id, name: null, addr, age: 0 }]);
        assert.deepEqual(await workersOf('plan-job'), []);
      } finally {
        await heartbeat.stop();
      }
    });

    it('asks a browser for a password, and refuses those who are no operators', async () => {
      for (const path of ['', '/', '/api/queues', '/static/favicon.ico']) {
        const nobody = await api.fetch(`/admin/queues${path}`);
        assert.equal(nobody.status, 401);
        assert.match(nobody.headers.get('www-authenticate') ?? '', /Basic realm=.*Bearer/);
        assert.equal((await board(path, `Bearer ${api.token}`)).status, 403);
        assert.equal((await board(path, 'Basic ???')).status, 401);
      }
    });

    it('lists every queue and the jobs in it, with nothing but ids', async () => {
      const { queues } = (await (
        await board('/api/queues?activeQueue=plan-job&status=latest&page=1&jobsPerPage=10')
      ).json()) as {
        queues: { name: string; jobs: { data: unknown }[]; readOnlyMode: boolean }[];
      };
      const names = api.services.producer.queues().map(({ name }) => name);
      assert.deepEqual(queues.map(({ name }) => name).sort(), names.sort());
      assert.ok(queues.every(({ readOnlyMode }) => readOnlyMode));
      assert.deepEqual(
        queues.find(({ name }) => name === 'plan-job')?.jobs.map(({ data }) => data),
        [{ jobId, dispatch: 1 }],
      );
    });

    it('changes nothing through a dashboard that is read-only', async () => {
      for (const [method, path] of [
        ['PUT', '/api/queues/pause'],
        ['PUT', '/api/queues/plan-job/empty'],
        ['POST', '/api/queues/plan-job/add'],
        ['DELETE', '/api/queues/plan-job'],
      ] as const) {
        assert.equal((await board(path, undefined, { method })).status, 405, path);
      }
    });
  });

  describe('with a dashboard that may write', () => {
    let api: TestApi;
    before(async () => {
      api = await startTestApi({ environment: { DASHBOARD_WRITABLE: '1' } });
    });
    after(() => api.stop());

    const pause = (authorization: string, origin?: string) =>
      api.fetch('/admin/queues/api/queues/plan-job/pause', {
        method: 'PUT',
        headers: { authorization, ...(origin === undefined ? {} : { origin }) },
      });

    it('takes writes from its own pages and from tools, and from no other page', async () => {
      const basic = `Basic ${btoa(`:${api.operatorToken}`)}`;
      const bearer = `Bearer ${api.operatorToken}`;
      assert.equal((await pause(basic, api.url)).status, 200);
      assert.equal((await pause(bearer)).status, 200);
      assert.equal((await pause(basic)).status, 403);
      for (const origin of [
        'https://evil.example',
        'null',
        `${api.url}.evil.example`,
        api.url.replace('http:', 'https:'),
      ]) {
        assert.equal((await pause(basic, origin)).status, 403, origin);
        assert.equal((await pause(bearer, origin)).status, 403, origin);
      }
      assert.equal((await pause(`Bearer ${api.token}`, api.url)).status, 403);
    });
  });

  describe('in the documentation', () => {
    let api: TestApi;
    before(async () => {
      api = await startTestApi();
    });
    after(() => api.stop());

    it('finds the page, its assets and the description, none of them elsewhere', async () => {
      const page = await api.fetch('/docs');
      const html = await page.text();
      assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'; script-src 'self'/);
      assert.ok(!/https?:\/\//.test(html), 'the page asks another host for something');
      const assets = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path);
      assert.equal(assets.length, 4);
      for (const asset of assets) {
        const response = await api.fetch(`/${asset}`);
        assert.equal(response.status, 200, asset);
        assert.match(response.headers.get('content-type') ?? '', /css|javascript|png/);
      }
      const document = (await (await api.fetch('/openapi.json')).json()) as { openapi: string };
      assert.equal(document.openapi, '3.1.0');
    });

    it('serves no other file of the package, and answers 304 to what is known', async () => {
      for (const name of ['package.json', 'index.html', '..%2Fpackage.json', '__proto__', 'constructor']) {
        assert.equal((await api.fetch(`/docs/${name}`)).status, 404, name);
      }
      const etag = (await api.fetch('/docs/swagger-ui.css')).headers.get('etag') ?? '';
      const again = await api.fetch('/docs/swagger-ui.css', { headers: { 'if-none-match': etag } });
      assert.equal(again.status, 304);
    });

    it('is led there from the bare address', async () => {
      const response = await api.fetch('/');
      assert.equal(response.status, 302);
      assert.equal(new URL(response.headers.get('location') ?? '', `${api.url}/`).pathname, '/docs');
    });
  });
});

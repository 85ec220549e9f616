/** An API and a worker in one process, until its line to the database is cut: then others are asked, and go on. */
import assert from 'node:assert/strict';
import { createApp } from '../../../src/api/app.js';
import { startServer } from '../../../src/api/server.js';
import { reconcile } from '../../../src/workers/maintenance/reconcile.js';
import type { Answer } from '../http/call-api.js';
import { type CallOptions, Shop } from '../http/shop.js';
import type { World } from '../worlds/world.js';
import type { Cut } from './cut-line.js';
import { openDoomed, untilDoomedIsGone } from './doomed-worker.js';

export interface DoomedClient {
  /**
   * Calls the process that is doomed, as long as it lives, and has its worker do what is due then. A call that was not
   * answered is sent again, with the same idempotency key, to the world's own API.
   */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** Sends an upload in the same way, unless it is complete already. */
  upload(file: { readonly id: string; readonly location: string }, bytes: Buffer): Promise<void>;
  readonly isCut: () => boolean;
  close(): Promise<void>;
}

/** @param world whose workers go on with what the killed process leaves */
export async function openDoomedClient(world: World, shop: Shop, cut: Cut): Promise<DoomedClient> {
  const doomed = await openDoomed(world.api.services, cut);
  const { services } = doomed;
  const app = createApp(services);
  const server = await startServer(app.callback(), { host: '127.0.0.1', port: 0 });
  const fetchThere: Shop['api']['fetch'] = (path, init) => fetch(`${server.url}${path}`, init);
  const there = new Shop({ fetch: fetchThere }, shop.account, shop.token, shop.siteId);
  let isAlive = true;

  /** Has the worker do what is due; if the process is killed by then, the others notice it. */
  async function workOn(): Promise<void> {
    await doomed.run();
    if (!doomed.isCut()) return;
    isAlive = false;
    await close();
    await untilDoomedIsGone(world.db);
    await reconcile({ ...world.services, config: { ...world.services.config, reconcileGraceMs: 0 } });
  }

  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= server.stop(0).then(doomed.close);
    return closing;
  };

  const isUploaded = async (id: string) => (await shop.ask('GET', `/files/product/${id}`)).status === 'UPLOADED';

  return {
    call: async (method, path, options) => {
      if (isAlive) {
        const answer = await there.call(method, path, options);
        await workOn();
        if (answer.status < 500) return answer;
        assert.ok(!isAlive, `${method} ${path}: ${answer.text}`);
      }
      return shop.call(method, path, options);
    },
    upload: async ({ id, location }, bytes) => {
      const { pathname, search } = new URL(location);
      const put = async (origin: string) =>
        (await fetch(`${origin}${pathname}${search}`, { method: 'PUT', body: Buffer.from(bytes) })).status;
      if (isAlive) {
        const status = await put(server.url);
        await workOn();
        if (status === 200) return;
        assert.ok(!isAlive, `the upload was answered with ${status}`);
        if (await isUploaded(id)) return;
      }
      assert.equal(await put(world.api.url), 200);
    },
    isCut: doomed.isCut,
    close,
  };
}

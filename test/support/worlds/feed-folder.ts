/** A folder from which the feeds of a test take files, and the feeds of one shop. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Shop } from '../http/shop.js';
import { untilEnded } from '../http/until-ended.js';

export interface FeedFolder {
  /** The value of FEED_FOLDERS: each account has a folder of its own. */
  readonly allowed: string;
  of(shop: Shop): Promise<ShopFolder>;
  remove(): Promise<void>;
}

export async function makeFeedFolder(): Promise<FeedFolder> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'longshore-feeds-')));
  return {
    allowed: join(root, '{account}'),
    of: async (shop) => {
      const path = join(root, shop.account);
      await mkdir(path, { recursive: true });
      return new ShopFolder(shop, path);
    },
    remove: () => rm(root, { recursive: true, force: true }),
  };
}

/** What the API answers of a feed. */
// biome-ignore lint/suspicious/noExplicitAny: the body of an answer
type Body = any;

export class ShopFolder {
  constructor(
    readonly shop: Shop,
    readonly path: string,
  ) {}

  /** The body that makes a feed of this folder, which looks twice without a wait. */
  body(over: object = {}): Record<string, unknown> {
    return {
      name: 'ERP',
      connection: { kind: 'folder', path: this.path },
      fileType: 'ITEM_IMPORT',
      pick: { settleSeconds: 0 },
      ...over,
    };
  }

  /** The body that makes a destination of this folder: all items, in a file with a number. */
  destinationBody(over: object = {}): Record<string, unknown> {
    return {
      name: 'Marketplace',
      direction: 'DESTINATION',
      connection: { kind: 'folder', path: this.path },
      export: { type: 'ITEM_EXPORT' },
      fileName: 'items-{sequence}.csv',
      ...over,
    };
  }

  makeDestination(over: object = {}): Promise<Body> {
    return this.shop.ask('POST', '/feeds', { body: this.destinationBody(over) });
  }

  make(over: object = {}): Promise<Body> {
    return this.shop.ask('POST', '/feeds', { body: this.body(over) });
  }

  /** As a careful program writes it: complete from the moment it has its name. */
  async put(name: string, content: string): Promise<void> {
    const temporary = join(this.path, `.${name}.part`);
    await writeFile(temporary, content);
    await rename(temporary, join(this.path, name));
  }

  /** An item with this SKU. */
  putItem(sku: string, name = `${sku}.csv`): Promise<void> {
    return this.put(name, `Category Node,SKU,Title\nShelf,${sku},One\n`);
  }

  /** The names of the files that are there. */
  async names(folder = '.'): Promise<string[]> {
    const entries = await readdir(join(this.path, folder), { withFileTypes: true }).catch(() => []);
    return entries.flatMap((entry) => (entry.isFile() ? [entry.name] : [])).sort();
  }

  /** The text of a file that is there. */
  read(name: string): Promise<string> {
    return readFile(join(this.path, name), 'utf8');
  }

  readBytes(name: string): Promise<Buffer> {
    return readFile(join(this.path, name));
  }

  /** Runs a feed, and waits for the end of the run. @returns its job */
  async run(feedId: string): Promise<Body> {
    const { status, body, text } = await this.shop.call('POST', `/feeds/${feedId}/actions/run`);
    assert.equal(status, 202, text);
    await untilEnded(this.shop, body.jobId);
    return this.shop.ask('GET', `/jobs/${body.jobId}`);
  }

  get(feedId: string): Promise<Body> {
    return this.shop.ask('GET', `/feeds/${feedId}`);
  }

  async runs(feedId: string): Promise<Body[]> {
    return (await this.shop.ask('GET', `/feeds/${feedId}/runs?limit=100`)).data;
  }

  async files(feedId: string): Promise<Body[]> {
    return (await this.shop.ask('GET', `/feeds/${feedId}/files?limit=100`)).data;
  }

  /** The import jobs of the shop, oldest first. */
  async imports(): Promise<Body[]> {
    const { data } = await this.shop.ask('GET', '/jobs/product?type=ITEM_IMPORT&limit=100');
    return data.reverse();
  }
}

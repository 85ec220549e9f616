/** Serves the console at /console: one page for every address below it, and its files, whose names say what is in them. */
import { randomBytes } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Middleware, Next } from 'koa';
import { codeOf } from '../platform/error-code.js';
import { HttpProblem } from './http-problem.js';
import { stateOf } from './request-state.js';
import type { ApiServices } from './services.js';

/** As seen from the build and from a bundle. */
const FOLDER = fileURLToPath(new URL('../../console/', import.meta.url));
const PAGE = join(FOLDER, 'index.html');
const PATH = '/console';
const ASSETS = `${PATH}/assets/`;
const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

interface Pages {
  /** When it was built: it may be built again while the process runs. */
  readonly builtAt: number;
  readonly page: string;
  /** The names of the files that may be asked for. */
  readonly assets: ReadonlySet<string>;
}

/** Answers every request of these pages and passes on all others. */
export function createConsolePages({ publicUrl, config }: Pick<ApiServices, 'publicUrl' | 'config'>): Middleware {
  const stores = storeOrigins(config.storage.s3);
  let pages: Pages | undefined;
  const present = async (): Promise<Pages> => {
    const { mtimeMs } = await stat(PAGE);
    if (pages?.builtAt !== mtimeMs) pages = { builtAt: mtimeMs, ...(await loadPages()) };
    return pages;
  };
  return async (ctx, next: Next) => {
    const { path } = ctx;
    if (path !== PATH && !path.startsWith(`${PATH}/`)) return next();
    Object.assign(stateOf(ctx), { family: 'operator', route: PATH });
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
      throw new HttpProblem(405, 'METHOD_NOT_ALLOWED', 'this address supports GET, HEAD', { Allow: 'GET, HEAD' });
    }
    const { page, assets } = await present().catch((error: unknown) => {
      throw notBuilt(error);
    });
    if (!path.startsWith(ASSETS)) {
      const nonce = randomBytes(18).toString('base64');
      ctx.set({ ...PAGE_HEADERS, 'Content-Security-Policy': policyOf(nonce, stores) });
      ctx.type = 'text/html; charset=utf-8';
      const { origin, pathname } = new URL(publicUrl());
      const provider = asAttribute(config.provider?.name ?? '');
      const filled = { nonce, base: pathname.replace(/\/$/, ''), public: origin, provider };
      ctx.body = page.replace(/\{(nonce|base|public|provider)\}/g, (_, name: keyof typeof filled) => filled[name]);
      return;
    }
    const name = path.slice(ASSETS.length);
    // Only names that were listed are read, so that no path leads out of the folder.
    if (!assets.has(name)) throw new HttpProblem(404, 'NOT_FOUND', `the console has no file ${name}`);
    const isCompressed = assets.has(`${name}.gz`) && ctx.acceptsEncodings('gzip', 'identity') === 'gzip';
    ctx.vary('Accept-Encoding');
    ctx.set('Cache-Control', 'public, max-age=31536000, immutable');
    if (isCompressed) ctx.set('Content-Encoding', 'gzip');
    ctx.type = TYPES[extname(name)] ?? 'application/octet-stream';
    ctx.body = await readFile(join(FOLDER, 'assets', isCompressed ? `${name}.gz` : name));
  };
}

const PAGE_HEADERS = {
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'X-Frame-Options': 'DENY',
} as const;

function asAttribute(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Nothing but what the console brings along, and styles with the nonce: React Aria adds two of them to the page. */
function policyOf(nonce: string, stores: readonly string[]): string {
  return [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    `connect-src ${["'self'", ...stores].join(' ')}`,
    "font-src 'self'",
    "img-src 'self' data:",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
}

/** Where files are in S3, the page uploads them there and downloads them from there. */
function storeOrigins(s3: ApiServices['config']['storage']['s3']): readonly string[] {
  if (s3?.direct !== true) return [];
  const { bucket, region, pathStyle } = s3;
  const endpoint = s3.publicEndpoint ?? s3.endpoint;
  const hosts = region === undefined ? ['s3.amazonaws.com'] : [`s3.${region}.amazonaws.com`, 's3.amazonaws.com'];
  const bases = endpoint === undefined ? hosts.map((host) => `https://${host}`) : [endpoint];
  return bases.map((base) => {
    const { protocol, host } = new URL(base);
    return `${protocol}//${pathStyle ? '' : `${bucket}.`}${host}`;
  });
}

async function loadPages(): Promise<Omit<Pages, 'builtAt'>> {
  const page = await readFile(PAGE, 'utf8');
  return { page, assets: new Set(await readdir(join(FOLDER, 'assets'))) };
}

function notBuilt(error: unknown): unknown {
  if (codeOf(error) !== 'ENOENT') return error;
  return new HttpProblem(404, 'NOT_FOUND', 'the console is not built: npm run build makes it');
}

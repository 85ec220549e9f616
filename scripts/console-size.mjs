/** Measures what a browser loads before it can show a page of the console that is opened directly: `npm run check` refuses more. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Of compressed JavaScript. */
const MOST_BYTES = 250_000;
const ENTRY = 'src/main.tsx';
const SOURCE = join('packages', 'console', 'src');
/** How a page is named in the router and in the entry: what is loaded when it is opened. */
const LOADED = /import\('\.\/(pages\/[^']+)\.js'\)/g;

/** @returns how many limits are exceeded */
export function checkConsoleSize(root, print) {
  const folder = join(root, 'dist', 'console');
  const loaded = JSON.parse(readFileSync(join(folder, 'outputs.json'), 'utf8'));
  const sizeOf = (page) => {
    const scripts = new Set([...loaded[ENTRY], ...loaded[page]].filter((name) => name.endsWith('.js')));
    return [...scripts].reduce((sum, name) => sum + statSync(join(folder, 'assets', `${name}.gz`)).size, 0);
  };
  const router = readFileSync(join(root, SOURCE, 'router.tsx'), 'utf8');
  const sizes = pagesOf(router + readFileSync(join(root, SOURCE, 'app.tsx'), 'utf8'))
    .map((page) => ({ page, bytes: sizeOf(page) }))
    .sort((a, b) => b.bytes - a.bytes);
  const first = sizeOf(firstPageOf(router));
  const tooLarge = sizes.filter(({ bytes }) => bytes > MOST_BYTES);
  const verdict = tooLarge.length > 0 ? '  EXCEEDS ITS LIMIT' : '';
  print(
    `compressed JavaScript of the console: ${first} bytes at /console/, ${sizes[0].bytes} at most, of ${sizes[0].page} (limit ${MOST_BYTES})${verdict}`,
  );
  for (const { page, bytes } of tooLarge) print(`  ${bytes} ${page}`);
  return tooLarge.length;
}

/** The files of the pages, as the build names them. */
function pagesOf(source) {
  return [...new Set([...source.matchAll(LOADED)].map(([, page]) => `src/${page}.tsx`))];
}

/** The page to which the address `/console/` leads. */
function firstPageOf(router) {
  const path = /path: '\/',\s+beforeLoad: [^}]*redirect\(\{ to: '\/\$stage\/([\w-]+)'/.exec(router)?.[1];
  const route = new RegExp(`path: '${path}',[^}]*?import\\('\\./(pages/[^']+)\\.js'\\)`).exec(router);
  if (route === null) throw new Error('the first page of the console is not found in its router');
  return `src/${route[1]}.tsx`;
}

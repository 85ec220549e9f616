/** Measures what a browser loads before it can show the first page of the console: `npm run check` refuses more. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Of compressed JavaScript. */
const MOST_BYTES = 250_000;
/** What is loaded with every page, and the page that the console begins with. */
const FIRST = ['src/main.tsx', 'src/pages/imports/list-page.tsx'];

/** @returns how many limits are exceeded */
export function checkConsoleSize(root, print) {
  const folder = join(root, 'dist', 'console');
  const loaded = JSON.parse(readFileSync(join(folder, 'outputs.json'), 'utf8'));
  const scripts = new Set(FIRST.flatMap((page) => loaded[page]).filter((name) => name.endsWith('.js')));
  const bytes = [...scripts].reduce((sum, name) => sum + statSync(join(folder, 'assets', `${name}.gz`)).size, 0);
  const verdict = bytes > MOST_BYTES ? '  EXCEEDS ITS LIMIT' : '';
  print(`compressed JavaScript of the console's first page: ${bytes} bytes (limit ${MOST_BYTES})${verdict}`);
  return bytes > MOST_BYTES ? 1 : 0;
}

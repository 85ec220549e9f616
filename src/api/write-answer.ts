/** Writes the JSON of an answer: a long list in turns of the event loop, because 20,000 errors of rows are megabytes of text. */
import { writeJson } from '../domain/kernel/opaque-json.js';
import { fromInTurns } from '../platform/time-slice.js';

/** Lists that are longer are written a part at a time. */
const SHORT = 200;
const PART = 50;
/** How deep lists are looked for: `{attributes: {failed: []}}`. */
const LISTS_WITHIN = 2;

/** @returns the text, or its bytes in UTF-8 */
export async function writeAnswer(body: unknown): Promise<string | Buffer> {
  return hasLongList(body, LISTS_WITHIN) ? Buffer.concat(await writeValue(body, LISTS_WITHIN)) : writeJson(body);
}

function hasLongList(value: unknown, within: number): boolean {
  if (Array.isArray(value)) return value.length > SHORT;
  return within > 0 && isPlain(value) && Object.values(value).some((member) => hasLongList(member, within - 1));
}

async function writeValue(value: unknown, within: number): Promise<Buffer[]> {
  if (!hasLongList(value, within)) return [Buffer.from(writeJson(value))];
  if (Array.isArray(value)) return writeList(value);
  const written: Buffer[] = [];
  // As JSON.stringify does, members that are undefined are left out.
  for (const [name, member] of Object.entries(Object(value)).filter(([, member]) => member !== undefined)) {
    written.push(Buffer.from(`${written.length === 0 ? '{' : ','}${JSON.stringify(name)}:`));
    written.push(...(await writeValue(member, within - 1)));
  }
  return [...written, Buffer.from('}')];
}

async function writeList(list: readonly unknown[]): Promise<Buffer[]> {
  const parts = Array.from({ length: Math.ceil(list.length / PART) }, (_, nth) => nth * PART);
  // The brackets of a part become commas between the parts.
  const texts = await fromInTurns(parts, (begin) =>
    Buffer.from(`${begin === 0 ? '' : ','}${writeJson(list.slice(begin, begin + PART)).slice(1, -1)}`),
  );
  return [Buffer.from('['), ...texts, Buffer.from(']')];
}

/** Whether its own members are what JSON shows of it. */
function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

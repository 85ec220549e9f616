/** How a destination names its files: a text with places for the date, the time, the number and the content. */
import { isSafeName } from '../../../platform/remote/names.js';
import { isStorable } from '../../kernel/characters.js';
import type { FeedContent } from './feed-run-job.js';

/** File systems have room for 255, and a temporary name is a little longer. */
const MOST_BYTES = 200;
const DIGITS = 6;

interface Named {
  /** When the export began to read. */
  readonly at: Date;
  readonly timeZone: string;
  readonly sequence: number;
  readonly content: FeedContent;
}

/** Place → what stands there. */
const PLACES: Readonly<Record<string, (named: Named) => string>> = {
  date: ({ at, timeZone }) => localTime(at, timeZone).slice(0, 10),
  time: ({ at, timeZone }) => localTime(at, timeZone).slice(11).replaceAll(':', '-'),
  sequence: ({ sequence }) => String(sequence).padStart(DIGITS, '0'),
  content: ({ content }) => content.toLowerCase(),
};
const KNOWN = Object.keys(PLACES).map((place) => `{${place}}`);
const PLACE = /\{([^{}]*)\}/g;

/** What is wrong with a template; null: nothing. */
export function fileNameProblemOf(template: string): string | null {
  for (const [written, place = ''] of template.matchAll(PLACE)) {
    if (!Object.hasOwn(PLACES, place)) return `has ${written}, which stands for nothing: known are ${KNOWN.join(', ')}`;
  }
  const plain = template.replaceAll(PLACE, '');
  if (/[{}]/.test(plain)) return 'has a brace without its other half';
  if (/[*?:"<>|]/.test(plain)) return 'has one of * ? : " < > |, which are not allowed in names on some systems';
  if (/^[. ]|[. ]$/.test(template))
    return 'begins or ends with a dot or a blank: choose a name such as items-{date}.csv';
  const longest = fileNameOf(template, { at: new Date(), timeZone: 'UTC', sequence: 0, content: 'WHOLE' });
  if (!isSafeName(longest) || !isStorable(longest) || /\p{Cc}/u.test(longest)) {
    return 'expected the name of a file, without folders and control characters';
  }
  if (Buffer.byteLength(longest) > MOST_BYTES) return `is longer than ${MOST_BYTES} bytes`;
  return null;
}

/** Whether each file has a name of its own. */
export function isNumbered(template: string): boolean {
  return template.includes('{sequence}');
}

export function fileNameOf(template: string, named: Named): string {
  return template.replaceAll(PLACE, (written, place: string) => PLACES[place]?.(named) ?? written);
}

/** Such as `2026-11-26 02:30:00`. */
function localTime(at: Date, timeZone: string): string {
  // Swedish writes times in the order of ISO 8601.
  return at.toLocaleString('sv-SE', { timeZone, hour12: false });
}

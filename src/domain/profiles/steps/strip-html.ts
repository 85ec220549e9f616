/** The step that keeps the text of HTML: without tags, and with characters in place of entities. */
import { z } from 'zod';
import { defineStep } from './step.js';

/** Entities that shops write; the others are written as numbers, or stay as they are. */
const ENTITIES: Readonly<Record<string, string>> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ', shy: '', hellip: '…', bull: '•', middot: '·' },
  ...{ ndash: '–', mdash: '—', lsquo: '‘', rsquo: '’', ldquo: '“', rdquo: '”', bdquo: '„', laquo: '«', raquo: '»' },
  ...{ auml: 'ä', ouml: 'ö', uuml: 'ü', Auml: 'Ä', Ouml: 'Ö', Uuml: 'Ü', szlig: 'ß', eacute: 'é', egrave: 'è' },
  ...{ ecirc: 'ê', agrave: 'à', aacute: 'á', acirc: 'â', ccedil: 'ç', ntilde: 'ñ', oacute: 'ó', iacute: 'í' },
  ...{ ocirc: 'ô', uacute: 'ú', ugrave: 'ù', aring: 'å', aelig: 'æ', oslash: 'ø', Eacute: 'É', Aring: 'Å' },
  ...{ euro: '€', pound: '£', copy: '©', reg: '®', trade: '™', deg: '°', micro: 'µ', times: '×', plusmn: '±' },
  ...{ sup2: '²', sup3: '³', frac12: '½', frac14: '¼', frac34: '¾', sect: '§', thinsp: ' ', ensp: ' ', emsp: ' ' },
};
const MAX_ENTITY_CHARACTERS = 10;
/** Elements that begin a new line. */
const LINES = new Set(['br', 'p', 'div', 'li', 'ul', 'ol', 'tr', 'table', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'hr']);
/** Elements whose content is no text. */
const SKIPPED = new Set(['script', 'style']);

export const stripHtmlStep = defineStep({
  schema: z.strictObject({ step: z.literal('stripHtml') }),
  compile: () => (text) => (text.includes('<') || text.includes('&') ? textOfHtml(text) : text),
  inverse: () => ({ write: htmlOf, loss: 'tags are not kept: texts are written with <br> for a new line' }),
});

/** One pass, whatever the text is. A `<` that no letter follows is a sign of the text: `width < 3`. */
function textOfHtml(html: string): string {
  let text = '';
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf('<', at);
    if (open < 0) break;
    text += html.slice(at, open);
    const name = /^[A-Za-z][A-Za-z0-9]*/
      .exec(html.slice(open + (html[open + 1] === '/' ? 2 : 1), open + 20))?.[0]
      .toLowerCase();
    const isComment = html.startsWith('<!--', open);
    const close = isComment ? html.indexOf('-->', open) + 2 : endOfTag(html, open);
    if ((name === undefined && !isComment) || close < open) {
      text += '<';
      at = open + 1;
      // Without an end, no later tag has one either.
      if (close < open) {
        text += html.slice(at);
        at = html.length;
      }
      continue;
    }
    if (name !== undefined && LINES.has(name)) text += '\n';
    at = close + 1;
    if (name !== undefined && SKIPPED.has(name) && html[open + 1] !== '/') {
      const end = html.toLowerCase().indexOf(`</${name}`, at);
      at = end < 0 ? html.length : end;
    }
  }
  text += html.slice(at);
  return withCharacters(text)
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** The `>` of a tag, which may be in a quoted value before; -1 when there is none. */
function endOfTag(html: string, open: number): number {
  let quote = '';
  for (let at = open + 1; at < html.length; at += 1) {
    const character = html.charAt(at);
    if (quote !== '') {
      if (character === quote) quote = '';
    } else if (character === '"' || character === "'") quote = character;
    else if (character === '>') return at;
  }
  return html.indexOf('>', open);
}

function withCharacters(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,9});/g, (written, name: string) => {
    if (name.length > MAX_ENTITY_CHARACTERS) return written;
    if (!name.startsWith('#')) return Object.hasOwn(ENTITIES, name) ? (ENTITIES[name] ?? written) : written;
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
    return isCharacter ? String.fromCodePoint(code) : written;
  });
}

/** HTML that shows a text. */
function htmlOf(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('\n', '<br>');
}

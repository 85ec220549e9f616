/** Says of a text whose bytes are all valid UTF-8 whether it may be something else. */
import { isAscii } from 'node:buffer';
import { type Answer, ambiguous, likely } from '../model/answer.js';

/** What two bytes of UTF-8 become that were taken for windows-1252: `Ã¶` for `ö`. */
const TWICE = /[ÃÂ][\u0080-\u00bf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]/g;
const LEAST_TWICE = 3;
/** Of the characters beyond ASCII, so many belong to such pairs. */
const LEAST_OF_OTHERS = 0.6;

/** What is to be said of a text that is valid UTF-8; null: nothing. */
export function doubtsOfUtf8(head: Buffer): Answer<string> | null {
  return encodedTwice(head) ?? validByChance(head);
}

/** UTF-8 that was encoded once more: the file is read as it is, and its words are wrong. Null: it was not. */
function encodedTwice(head: Buffer): Answer<string> | null {
  const text = head.toString('utf8');
  const pairs = text.match(TWICE) ?? [];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the class is all that is not ASCII
  const others = text.match(/[^\x00-\x7f]/g)?.length ?? 0;
  if (pairs.length < LEAST_TWICE || pairs.length * 2 < others * LEAST_OF_OTHERS) return null;
  const word = /[^\s,;]{0,20}[ÃÂ][^\s,;]{1,20}/.exec(text)?.[0] ?? '';
  return likely(
    'utf-8',
    `All bytes of the file are valid UTF-8, but its words were encoded twice, such as "${word}", and are imported so: export the file again.`,
  );
}

/**
 * `weiß…` and `MENÜ“`: behind a letter of ASCII, ß or Ü and a sign of windows-1252 are one character of UTF-8 that words of NKo
 * and of Syriac alone have.
 */
const BY_CHANCE = /(?<=[a-z])[\u0705\u0713\u0714\u0716\u0717\u07c5\u07d3\u07d4\u07d6\u07d7](?![a-z])/gi;

/** Whether that is all that the text has beyond ASCII. Null: it is not. */
function validByChance(head: Buffer): Answer<string> | null {
  const text = head.toString('utf8');
  if (!isAscii(Buffer.from(text.replace(BY_CHANCE, '')))) return null;
  const word = (of: string) => /[^\s,;]{0,20}[\u0080-\uffff]+[^\s,;]{0,20}/.exec(of)?.[0] ?? '';
  const western = new TextDecoder('windows-1252').decode(head);
  const reason = `In windows-1252 the text has "${word(western)}", in utf-8 "${word(text)}".`;
  return ambiguous('windows-1252', reason, ['utf-8']);
}

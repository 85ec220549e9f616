/** Texts that were read in a wrong encoding. */

/** What the second byte of a character in UTF-8 looks like in windows-1252; without the closing quotes, which end words. */
const SECOND =
  '[\u00a0-\u00bf\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192\u02c6\u02dc\u2013\u2014\u2018\u201a\u201c\u201e\u2020-\u2022\u2026\u2030\u2039\u203a\u20ac\u2122]';

/**
 * The sign for what could not be read, control characters that other code pages leave behind, and UTF-8 that was read as
 * windows-1252: `GrÃ¼n`, `Â°`, `â€“`, and Cyrillic letters.
 */
const MISREAD = new RegExp(`[\ufffd\u0080-\u009f]|Ã${SECOND}|Â[\u00a0-\u00bf]|â(?:€|‚¬|„¢|ˆ)|ï»¿|(?:[ÐÑ]${SECOND}){2}`);

/** Whether a text looks like one of another encoding that was read wrongly. */
export function looksMisread(text: string): boolean {
  // Most texts are ASCII, of which this loop is the cheaper test.
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) >= 0x80) return MISREAD.test(text);
  return false;
}

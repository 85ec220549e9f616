/** Names of remote files: which are safe, and which match a pattern. */

/** Control characters, and what separates folders on some machine. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const UNSAFE = /[\u0000-\u001f\u007f/\\]/;

/** Whether a name stays within its folder, and can be shown and stored. */
export function isSafeName(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && !UNSAFE.test(name) && !name.includes('\ufffd');
}

/** Whether each part of a folder's path is a safe name: `done/2026`. */
export function isSafeFolder(folder: string): boolean {
  return folder.split('/').every(isSafeName);
}

/**
 * A test of names by a pattern: `*` is any text, `?` one character, everything else itself. As in a shell, a name that
 * begins with a dot matches only a pattern that does: it is a temporary or hidden file. A letter with an accent may be written as
 * one character or as two, as a Mac does.
 */
export function matcherOf(pattern: string): (name: string) => boolean {
  const wanted = charactersOf(pattern);
  return (name) => (name.startsWith('.') ? pattern.startsWith('.') : true) && matches(wanted, charactersOf(name));
}

const ONLY_ASCII = /^[ -~]*$/;

function charactersOf(text: string): ArrayLike<string> {
  return ONLY_ASCII.test(text) ? text : [...text.normalize('NFC')];
}

/** In time that grows with the product of both lengths, whatever the pattern is. */
function matches(pattern: ArrayLike<string>, name: ArrayLike<string>): boolean {
  let at = 0;
  let place = 0;
  let star = -1;
  let after = 0;
  while (place < name.length) {
    if (pattern[at] === '*') {
      star = at++;
      after = place;
    } else if (at < pattern.length && (pattern[at] === '?' || pattern[at] === name[place])) {
      at++;
      place++;
    } else if (star >= 0) {
      at = star + 1;
      place = ++after;
    } else return false;
  }
  while (pattern[at] === '*') at++;
  return at === pattern.length;
}

/** Resolves `_xHHHH_`, by which cells hold the characters that XML has none for. */

const ESCAPE = /_x([0-9a-fA-F]{4})_/g;

/** Whether there may be something to resolve. */
export function mayBeEscaped(text: string): boolean {
  return text.includes('_x');
}

export function unescapeCellText(text: string): string {
  return text.replace(ESCAPE, (_all, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

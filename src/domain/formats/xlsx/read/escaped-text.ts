/** Resolves `_xHHHH_`, which stands for a character that XML does not allow. */

const ESCAPE = /_x([0-9a-fA-F]{4})_/g;

/** Whether the text may hold such an escape. */
export function mayBeEscaped(text: string): boolean {
  return text.includes('_x');
}

export function unescapeCellText(text: string): string {
  return text.replace(ESCAPE, (_all, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
